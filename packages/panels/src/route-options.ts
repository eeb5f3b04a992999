import { PANELS_LIMITS, WorkspaceParams } from "@backplane/contract/panels";
import { type Caller, requireCaller, type WhoIsCalling } from "@backplane/kit/callers";
import type { App } from "@backplane/kit/http";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Authenticates before the body is read: callers without access learn nothing about it, and need not send it. */
export function authenticateFirst(scope: App, whoIsCalling: WhoIsCalling): void {
  scope.addHook("onRequest", async (request) => {
    await requireCaller(whoIsCalling, request, "panels");
  });
}

/** Accepts JSON only. An empty body with a JSON content type, which many clients send, counts as no body. */
export function acceptJsonOnly(scope: App): void {
  const parse = scope.getDefaultJsonParser("error", "error");
  scope.removeContentTypeParser(["application/json", "text/plain"]);
  scope.addContentTypeParser("application/json", { parseAs: "string" }, (request, text, done) => {
    if (text === "") done(null, null);
    else parse(request, text as string, done);
  });
}

export const CURRENT = "/api/workspaces/editor/:owner/:repo/current";

const forbidStoring = async (_request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  reply.header("cache-control", "no-store");
};

/** The largest state with every character escaped, the largest icon, and the fields around them. */
const MAX_BODY_BYTES = 2 * PANELS_LIMITS.maxStateBytes + PANELS_LIMITS.maxIconBytes + 8_192;

export const READING = { onRequest: [forbidStoring] };
/** Access is checked in `workspaces.open`; pages of other sites have no cookie there. */
export const CHANGING = { ...READING, bodyLimit: MAX_BODY_BYTES };

/** Texts for the API reference. */
export const about = (summary: string, description?: string) => ({
  ...{ tags: ["panels"], summary, params: WorkspaceParams },
  ...(description === undefined ? {} : { description }),
});

/** The program that drives a tab; a person's own browser drives nothing. */
export const driverOf = ({ kind, credentialName }: Caller): string | undefined =>
  kind === "Browser" ? undefined : credentialName;
