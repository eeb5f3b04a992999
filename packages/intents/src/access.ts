import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { orProblem, refused } from "./refusal.ts";
import { hashIntentToken, isIntentToken } from "./secrets.ts";

export const IntentParams = Type.Object({ token: Type.String() });

/** The hash of a token; 404 for text that cannot be one. */
export const hashOf = (token: string): string =>
  isIntentToken(token) ? hashIntentToken(token) : orProblem<never>(refused("intent-unknown"));

/** No cache keeps tokens and decisions. */
export function forbidStoring(scope: App): void {
  scope.addHook("onRequest", (_request, reply, done) => {
    reply.header("cache-control", "no-store");
    done();
  });
}

/** Accepts JSON or an empty body, whatever its content type says. */
export function acceptEmptyBodies(scope: App): void {
  const parseJson = scope.getDefaultJsonParser("error", "error");
  type Done = (error: Error | null, body?: unknown) => void;
  const json = (request: FastifyRequest, body: string, done: Done): void => {
    if (body === "") done(null, undefined);
    else parseJson(request, body, done);
  };
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("application/json", { parseAs: "string" }, json);
  scope.addContentTypeParser("*", { parseAs: "string" }, (request: FastifyRequest, body: string, done: Done) => {
    const hasNoType = request.headers["content-type"] === undefined;
    if (body === "" || hasNoType) json(request, body, done);
    else done(new Problem("unsupported-media-type", { detail: "Send JSON." }));
  });
}
