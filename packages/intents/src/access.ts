import { type Caller, requireCaller, type WhoIsCalling } from "@backplane/kit/callers";
import { Problem } from "@backplane/kit/problems";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { hashIntentToken, isIntentToken } from "./intent-token.ts";
import { orProblem, refused } from "./refusal.ts";

export const IntentParams = Type.Object({ token: Type.String() });

/** The hash of a token that could be one; else 404. */
export function hashOf({ token }: { token: string }): string {
  return isIntentToken(token) ? hashIntentToken(token) : orProblem<never>(refused("intent-unknown"));
}

/** The person in front of a browser. Programs and keys never judge what other programs ask for. */
export async function requirePerson(whoIsCalling: WhoIsCalling, request: FastifyRequest): Promise<Caller> {
  const caller = await requireCaller(whoIsCalling, request, "read");
  if (caller.kind !== "Browser") throw new Problem("browser-session-needed");
  return caller;
}

/** A route's `onRequest` hook: tokens and decisions stay in nobody's cache. */
export const forbidStoring = (_request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
  reply.header("cache-control", "no-store");
  done();
};
