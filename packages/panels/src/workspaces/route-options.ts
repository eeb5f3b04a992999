import { PANELS_LIMITS, WorkspaceParams } from "@backplane/contract/panels";
import type { FastifyReply, FastifyRequest } from "fastify";

export const CURRENT = "/api/workspaces/editor/:owner/:repo/current";

const forbidStoring = async (_request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  reply.header("cache-control", "no-store");
};

/** A state as large as it may be, with every character escaped, and the fields around it. */
const MAX_BODY_BYTES = 2 * PANELS_LIMITS.maxStateBytes + 8_192;

export const READING = { onRequest: [forbidStoring] };
/** Who may is decided in `workspaces.open`; pages of other sites have no cookie there. */
export const CHANGING = { ...READING, bodyLimit: MAX_BODY_BYTES };

/** What the API reference says of a route. */
export const about = (summary: string, description?: string) => ({
  ...{ tags: ["panels"], summary, params: WorkspaceParams },
  ...(description === undefined ? {} : { description }),
});
