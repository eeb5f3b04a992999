import { Ack, Lease, NewCommand, StopAnswer, TakeLease } from "@backplane/contract/devices";
import type { Caller } from "@backplane/kit/callers";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { aboutDevices, DEVICES, NOT_STORED, OfCapability, OfDevice } from "../route-options.ts";
import type { Actor, Dependencies, Hub } from "../services.ts";
import type { DeviceSettingsBook } from "./device-settings.ts";
import { createHttpLeases } from "./http-leases.ts";
import type { OpenForControl } from "./open-for-control.ts";
import { REFUSAL_PROBLEMS, throwRefusal } from "./refusals.ts";
import { serveDeviceSettings } from "./settings-routes.ts";

export type ControlRoutes = Pick<Dependencies, "followAccess" | "onFault" | "note"> & {
  deviceSettings: DeviceSettingsBook;
  open: OpenForControl;
};

/** A browser without its socket is one actor, whichever page it was; so is a program. */
function actorOf({ kind, credentialId, credentialName, userName }: Caller, mayControl: boolean): Actor {
  const isProgram = kind !== "Browser";
  return {
    ...{ user: userName, key: `${kind} ${credentialId}`, isProgram, mayOnlyStop: !mayControl },
    ...(isProgram ? { program: credentialName } : {}),
  };
}

const controlling = (...texts: Parameters<typeof aboutDevices>) => ({
  ...{ ...aboutDevices(...texts), access: "devices:control" as const },
});

/** Lease, arming, commands and stop, for programs; pages have a socket. */
export function serveControl(app: App, routes: ControlRoutes): void {
  const leases = createHttpLeases(routes);
  const open = async (request: FastifyRequest, may: Parameters<OpenForControl>[1]) => {
    const { workspace, caller, access, mayControl, hub } = await routes.open(request, may);
    const actor = actorOf(caller, mayControl);
    leases.used(workspace.id, actor);
    return { workspace, access, mayControl, actor, control: hub.control };
  };
  serveStop(app, open);
  serveArming(app, open);
  serveDeviceSettings(app, routes);

  app.put(
    `${DEVICES}/:device/lease`,
    {
      ...NOT_STORED,
      schema: {
        ...controlling(
          "Take control of a device, or renew it",
          "It lasts 5 s and is renewed by every use. `takeOver`: from whoever has it, after what moves was stopped; a program cannot take over from a person.",
          ["device-unknown", "held"],
        ),
        ...{ params: OfDevice, body: Type.Optional(Type.Union([TakeLease, Type.Null()])), response: { 200: Lease } },
      },
    },
    async (request) => {
      const { workspace, access, actor, control } = await open(request, "control");
      await leases.follow(workspace.id, actor, access, control);
      const takeOver = request.body?.takeOver === true;
      const { lease } = throwRefusal(await control.take(request.params.device, actor, { takeOver }));
      // It ended while the device was being stopped.
      if (!lease) throw new Problem("not-held", { detail: "The lease has ended meanwhile. Take it again." });
      return lease;
    },
  );

  app.delete(
    `${DEVICES}/:device/lease`,
    {
      ...NOT_STORED,
      schema: {
        ...controlling("Give up the control of a device: what moves stops"),
        ...{ params: OfDevice, response: { 204: Type.Null() } },
      },
    },
    async (request, reply) => {
      const { actor, control } = await open(request, "control");
      await control.leave(actor, request.params.device);
      return reply.code(204).send(null);
    },
  );

  app.post(
    `${DEVICES}/:device/:capability/commands`,
    {
      ...NOT_STORED,
      schema: {
        ...controlling(
          "Send a command to a device and wait for its answer",
          "What moves or powers something needs the lease and arming. What moves stops 300 ms after the last command: send it again while it should go on. To stop, abort or switch off, seeing the workspace is enough.",
          REFUSAL_PROBLEMS,
        ),
        ...{ params: OfCapability, body: NewCommand, response: { 200: Ack } },
      },
    },
    async (request) => {
      const { actor, control, mayControl } = await open(request, "stop");
      const { device, capability } = request.params;
      const { name, params = {} } = request.body;
      const ack = await control.command({ device, capability }, { name, params }, actor);
      // Says which right is missing.
      if (ack.code === "denied" && !mayControl) await routes.open(request, "control");
      return throwRefusal(ack);
    },
  );
}

type Open = (
  request: FastifyRequest,
  may: "control" | "stop",
) => Promise<{ actor: Actor; control: Hub["control"]; mayControl: boolean }>;

function serveArming(app: App, open: Open): void {
  app.put(
    `${DEVICES}/:device/arm`,
    {
      ...NOT_STORED,
      schema: {
        ...controlling("Arm a device: from now on it can be moved and powered by whoever has the lease", undefined, [
          ...(["device-unknown", "not-held", "stopped", "device-lost"] as const),
        ]),
        ...{ params: OfDevice, response: { 200: Ack } },
      },
    },
    async (request) => {
      const { actor, control } = await open(request, "control");
      return throwRefusal(await control.arm(request.params.device, actor));
    },
  );

  app.delete(
    `${DEVICES}/:device/arm`,
    {
      ...NOT_STORED,
      schema: {
        ...aboutDevices(
          "Disarm a device: what moves stops",
          "Needs no lease: whoever sees the workspace may do it. `ok` is false if the device has not confirmed that it stopped.",
          ["device-unknown"],
        ),
        ...{ params: OfDevice, response: { 200: Ack } },
      },
    },
    async (request) => {
      const { actor, control } = await open(request, "stop");
      const ack = await control.disarm(request.params.device, actor);
      return ack.code === "device-unknown" ? throwRefusal(ack) : ack;
    },
  );
}

function serveStop(app: App, open: Open): void {
  app.post(
    `${DEVICES}/stop`,
    {
      ...NOT_STORED,
      schema: {
        ...aboutDevices(
          "Stop all devices of the workspace",
          "Whoever sees the workspace may do it. It goes out before everything else and is repeated until each device has answered; nothing moves until it is cleared. It does not replace a switch in the supply.",
        ),
        response: { 200: StopAnswer },
      },
    },
    async (request) => {
      const { actor, control } = await open(request, "stop");
      return control.stop(actor);
    },
  );

  app.delete(
    `${DEVICES}/stop`,
    {
      ...NOT_STORED,
      schema: {
        ...controlling("Clear the stop; everything stays disarmed", "Only for whoever is in control of a device.", [
          ...(["not-held", "stopped"] as const),
        ]),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { actor, control } = await open(request, "control");
      throwRefusal(await control.clear(actor));
      return reply.code(204).send(null);
    },
  );
}
