import type { Scope } from "@backplane/contract/accounts";
import { PANELS_LIMITS, WorkspaceParams } from "@backplane/contract/panels";
import { type Access, accessOf, type Caller, requireCaller, type WhoIsCalling } from "@backplane/kit/callers";
import type { App } from "@backplane/kit/http";
import type { ProblemCode } from "@backplane/kit/problems";
import type { FastifyReply, FastifyRequest, FastifySchema } from "fastify";
import type { Workspace } from "./services.ts";

/** Which scopes an API key needs one of, by the access that its route declares; other routes need "panels". */
const SCOPES: Partial<Record<NonNullable<FastifySchema["access"]>, readonly [Scope, ...Scope[]]>> = {
  "read-workspace": ["read", "panels"],
  // Each tool is a call of its own, which is checked by its own scopes.
  "workspace-tools": ["panels", "devices:read", "devices:control"],
};

export const workspaceCaller = (whoIsCalling: WhoIsCalling, request: FastifyRequest): Promise<Caller> =>
  requireCaller(whoIsCalling, request, ...(SCOPES[request.routeOptions.schema?.access ?? "panels"] ?? ["panels"]));

/** Authenticates before the body is read: callers without access learn nothing about it, and need not send it. */
export function authenticateFirst(scope: App, whoIsCalling: WhoIsCalling): void {
  scope.addHook("onRequest", async (request) => {
    await workspaceCaller(whoIsCalling, request);
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

/** What a change of the layout can be answered with. */
export const EDIT_PROBLEMS = [
  "panel-unknown",
  "tab-unknown",
  "layout-changed",
  "workspace-full",
  "too-many-requests",
] as const;

/** Also for opening a panel. */
export const OPEN_PROBLEMS = [...EDIT_PROBLEMS, "panel-type-unknown", "singleton-panel"] as const;

const OPEN_WORKSPACE_PROBLEMS = ["workspace-not-yours", "workspace-unknown", "not-found", "too-many-of-these"] as const;

/** For the API reference. Every route of a workspace opens it, with the problems of that. */
export const about = (summary: string, description?: string, problems: readonly ProblemCode[] = []) => ({
  ...{ tags: ["panels"], summary, params: WorkspaceParams, access: "panels" as const },
  problems: [...OPEN_WORKSPACE_PROBLEMS, ...problems],
  ...(description === undefined ? {} : { description }),
});

/** The same for a route that only reads: API keys with the scope "read" may call it. */
export const aboutReading = (...texts: Parameters<typeof about>) => ({
  ...{ ...about(...texts), access: "read-workspace" as const },
});

/** The right by which a caller uses a workspace, for what goes on after the request. */
export const accessTo = (caller: Caller, { id, ownerId, isShared }: Workspace): Access =>
  isShared ? { ...accessOf(caller, caller.userId), sharedWorkspaceId: id } : accessOf(caller, ownerId);

/** The program that drives a tab; a person's own browser drives nothing. */
export const driverOf = ({ kind, credentialName }: Caller): string | undefined =>
  kind === "Browser" ? undefined : credentialName;
