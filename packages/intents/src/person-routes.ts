import { Approval, DecideIntent, INTENT_LIMITS, Intent, IntentRequest } from "@backplane/contract/intents";
import { type Caller, requireCaller, type WhoIsCalling } from "@backplane/kit/callers";
import { type App, refuseForeignPage, treatMissingBodyAsEmpty } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { hashOf, IntentParams } from "./access.ts";
import type { Decide } from "./decide.ts";
import { DECISION_REFUSALS, orProblem, READING_REFUSALS } from "./refusal.ts";
import type { RequestRules } from "./request.ts";

export type PersonRouteOptions = { decide: Decide; requests: RequestRules; whoIsCalling: WhoIsCalling };

/** What our own pages call for a signed-in person. Others learn nothing about a token here. */
export function addPersonRoutes(scope: App, { decide, requests, whoIsCalling }: PersonRouteOptions): void {
  scope.patch(
    "/auth/intents/:token",
    {
      compress: false,
      bodyLimit: INTENT_LIMITS.maxBodyBytes,
      schema: {
        tags: ["intents"],
        summary: "Approve or deny",
        access: "browser",
        problems: DECISION_REFUSALS,
        params: IntentParams,
        body: DecideIntent,
        response: { 200: Intent },
      },
      preValidation: treatMissingBodyAsEmpty,
    },
    async (request) => {
      refuseForeignPage(request);
      const { userId, credentialId } = await requirePerson(whoIsCalling, request);
      const { token } = request.params;
      const decider = { userId, sessionId: credentialId };
      return orProblem(await decide(token, hashOf(token), request.body, decider));
    },
  );

  scope.get(
    "/auth/intents/:token/request",
    {
      compress: false,
      schema: {
        tags: ["intents"],
        summary: "What a person needs to know to decide",
        access: "browser",
        problems: READING_REFUSALS,
        params: IntentParams,
        response: { 200: IntentRequest },
      },
    },
    async (request) => {
      const { userId } = await requirePerson(whoIsCalling, request);
      return orProblem(await requests.describe(hashOf(request.params.token), userId));
    },
  );

  scope.get(
    "/auth/approvals",
    {
      compress: false,
      schema: {
        tags: ["intents"],
        summary: "The person's last decisions",
        access: "browser",
        response: { 200: Type.Object({ approvals: Type.Array(Approval) }) },
      },
    },
    async (request) => {
      const { userId } = await requirePerson(whoIsCalling, request);
      return { approvals: await requests.approvals(userId) };
    },
  );
}

/** A person in a browser. Programs and keys never decide what other programs get. */
async function requirePerson(whoIsCalling: WhoIsCalling, request: FastifyRequest): Promise<Caller> {
  const caller = await requireCaller(whoIsCalling, request, "read");
  if (caller.kind !== "Browser") throw new Problem("browser-session-needed");
  return caller;
}
