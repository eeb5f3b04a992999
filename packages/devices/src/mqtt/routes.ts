import { DEVICES_LIMITS, type DeviceKey, DeviceKeys, MadeDeviceKey, NewDeviceKey } from "@backplane/contract/devices";
import { WorkspaceParams } from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { Problem, type ProblemCode } from "@backplane/kit/problems";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Dependencies } from "../services.ts";
import type { KeyRow, Keys } from "./keys.ts";

type KeyRoutes = Pick<Dependencies, "authenticate" | "openWorkspace" | "now" | "note"> & {
  keys: Keys;
  /** Devices connect to a broker outside, which has passwords of its own. */
  isOutside: boolean;
  isConnected(workspaceId: string, keyId: string): boolean;
  address(): string | null;
  fault(): string | undefined;
  onMade?(): Promise<void>;
  onRevoked?(workspaceId: string, keyId: string): void;
};

const PATH = "/api/workspaces/editor/:owner/:repo/current/devices/keys";
const KeyParams = Type.Object({ ...WorkspaceParams.properties, key: Type.String({ maxLength: 64 }) });
const OPENING = ["workspace-not-yours", "workspace-unknown", "not-found"] as const;

const about = (summary: string, problems: readonly ProblemCode[] = []) => ({
  tags: ["devices"],
  summary,
  problems: [...OPENING, ...problems],
});

/** Keys by which devices connect. A key is shown once. */
export function serveKeys(app: App, routes: KeyRoutes): void {
  const { keys, authenticate, openWorkspace, now, note, address, fault, isConnected } = routes;
  const changing = { onRequest: (request: FastifyRequest) => authenticate(request, "control") };

  app.get(
    PATH,
    {
      schema: {
        ...about("The keys by which devices connect, newest first, and where they connect"),
        access: "devices:read",
        params: WorkspaceParams,
        response: { 200: DeviceKeys },
      },
    },
    async (request, reply) => {
      const { workspace } = await openWorkspace(request, "read");
      const rows = await keys.list(workspace.id);
      const reason = fault();
      return reply.header("cache-control", "no-store").send({
        keys: rows.map((row) => toWire(row, isConnected(workspace.id, row.id))),
        address: address(),
        ...(reason === undefined ? {} : { reason }),
      });
    },
  );

  app.post(
    PATH,
    {
      ...changing,
      schema: {
        ...about("Make a key for a device, or for a gateway; it is shown only once", [
          "too-many-of-these",
          "device-has-key",
          "outside-broker",
        ]),
        access: "devices:control",
        params: WorkspaceParams,
        body: NewDeviceKey,
        response: { 201: MadeDeviceKey },
      },
    },
    async (request, reply) => {
      const { workspace, caller } = await openWorkspace(request, "control");
      if (routes.isOutside) throw outsideBroker();
      const made = await keys.make(workspace.id, request.body, now());
      if (made === "too-many") throw tooMany();
      if (made === "device-taken") throw deviceTaken(request.body.device ?? "");
      await routes.onMade?.();
      note(workspace.id, "info", "devices", `${caller.userName} made the key "${made.row.name}".`);
      return reply.code(201).header("cache-control", "no-store").send({ id: made.row.id, key: made.key });
    },
  );

  app.delete(
    `${PATH}/:key`,
    {
      ...changing,
      schema: {
        ...about("Revoke a key; the connections of its device are closed at once"),
        access: "devices:control",
        params: KeyParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { workspace, caller } = await openWorkspace(request, "control");
      const { key } = request.params;
      if (!(await keys.remove(workspace.id, key)))
        throw new Problem("not-found", { detail: "The workspace has no device key with this id." });
      routes.onRevoked?.(workspace.id, key);
      note(workspace.id, "info", "devices", `${caller.userName} revoked a device key.`);
      return reply.code(204).send(null);
    },
  );
}

const tooMany = () =>
  new Problem("too-many-of-these", {
    detail: `A workspace can have ${DEVICES_LIMITS.maxKeys} device keys. Revoke one that is no longer used.`,
  });
const deviceTaken = (device: string) =>
  new Problem("device-has-key", {
    detail: `${device} has a key, or is simulated. Revoke the key or end the simulator, or choose another device id.`,
  });
const outsideBroker = () =>
  new Problem("outside-broker", {
    detail: "Devices connect to the broker of MQTT_URL, with the names and passwords that are set up there.",
  });

const toWire = (row: KeyRow, isConnected: boolean): DeviceKey => ({
  id: row.id,
  name: row.name,
  device: row.device,
  gateway: row.gateway === 1,
  createdAt: new Date(row.created_at_ms).toISOString(),
  lastSeenAt: row.last_seen_at_ms === null ? null : new Date(row.last_seen_at_ms).toISOString(),
  isConnected,
});
