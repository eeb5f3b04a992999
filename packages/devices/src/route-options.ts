import { CapabilityParams, DeviceParams } from "@backplane/contract/devices";
import { WorkspaceParams } from "@backplane/contract/panels";
import type { ProblemCode } from "@backplane/kit/problems";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";

const CURRENT = "/api/workspaces/editor/:owner/:repo/current";
export const DEVICES = `${CURRENT}/devices`;
export const STREAMS = `${CURRENT}/streams`;
export const RECORDINGS = `${CURRENT}/recordings`;

const forbidStoring = async (_request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  reply.header("cache-control", "no-store");
};
export const NOT_STORED = { onRequest: [forbidStoring] };

const OPEN_PROBLEMS = ["workspace-not-yours", "workspace-unknown", "not-found", "too-many-of-these"] as const;

/** For the API reference. Every route of devices opens their workspace, with the problems of that. */
export const aboutDevices = (summary: string, description?: string, problems: readonly ProblemCode[] = []) => ({
  ...{ tags: ["devices"], summary, params: WorkspaceParams, access: "devices:read" as const },
  problems: [...OPEN_PROBLEMS, ...problems],
  ...(description === undefined ? {} : { description }),
});

export const RECORDING_ID = Type.String({
  pattern: "^[0-9a-f-]{36}$",
  examples: ["0b0cf2b8-6a4e-4d3f-9d59-3a3f5a0c6a11"],
});
export const OfRecording = Type.Object({ ...WorkspaceParams.properties, recording: RECORDING_ID });
export const OfDevice = Type.Object({ ...WorkspaceParams.properties, ...DeviceParams.properties });
export const OfCapability = Type.Object({ ...WorkspaceParams.properties, ...CapabilityParams.properties });
