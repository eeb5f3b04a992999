import type { Access, Caller } from "@backplane/kit/callers";
import type { FastifyRequest } from "fastify";
import type { Hub, WorkspaceOf } from "../services.ts";

/** The workspace of a request, for somebody who may do this; 401, 403, 404. */
export type OpenForControl = (
  request: FastifyRequest,
  may: "read" | "control" | "stop",
) => Promise<{
  workspace: WorkspaceOf;
  caller: Caller;
  access: Access;
  mayControl: boolean;
  hub: Pick<Hub, "control" | "list">;
}>;
