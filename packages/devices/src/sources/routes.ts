import { ChangeSource, DEVICE_ID, DEVICES_LIMITS, NewSource, Source, Sources } from "@backplane/contract/devices";
import { type JsonObject, WorkspaceParams } from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { bodyChecker } from "@backplane/kit/schemas";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { type HubRoutes, hubOpener } from "../hub/routes.ts";
import { aboutDevices, DEVICES, NOT_STORED } from "../route-options.ts";
import type { Dependencies, SourceNow } from "../services.ts";
import type { Adapter } from "./adapter.ts";
import type { SourceBook } from "./sources.ts";
import type { SourceStore, StoredSource } from "./store.ts";

type SourceRoutes = Pick<HubRoutes, "openWorkspace" | "openHub"> &
  Pick<Dependencies, "authenticate" | "note" | "now"> & {
    adapters: readonly Adapter[];
    store: SourceStore;
    book: Pick<SourceBook, "changed">;
  };

const PATH = `${DEVICES}/sources`;
const OfSource = Type.Object({ ...WorkspaceParams.properties, source: DEVICE_ID });

/** …/devices/sources: devices that Backplane connects to. */
export function serveSources(app: App, routes: SourceRoutes): void {
  const { adapters, store, book, note, now, authenticate } = routes;
  const open = hubOpener(routes);
  const changing = {
    onRequest: [...NOT_STORED.onRequest, (request: FastifyRequest) => authenticate(request, "control")],
  };
  const kinds = adapters.map(({ kind, name, description, shows, settings }) => ({
    ...{ kind, name, description, shows: [...shows], settings: settings as unknown as JsonObject },
  }));

  app.get(
    PATH,
    {
      ...NOT_STORED,
      schema: {
        ...aboutDevices("Devices that Backplane connects to, by name, and the protocols that it speaks"),
        response: { 200: Sources },
      },
    },
    async (request) => {
      const { workspace, hub } = await open(request, "read");
      const states = new Map(hub.sources.all().map((one) => [one.name, one]));
      return { sources: (await store.list(workspace.id)).map((one) => toWire(one, states.get(one.name))), kinds };
    },
  );

  app.post(
    PATH,
    {
      ...changing,
      schema: {
        ...aboutDevices(
          "Connect to a device",
          "Backplane connects now, and again whenever the connection is lost, also after a restart. Devices have the name of their source as id. The answer does not wait for the device: its state is in the list.",
          ["invalid-input", "name-taken", "too-many-of-these"],
        ),
        ...{ access: "devices:control" as const, body: NewSource, response: { 201: Source } },
      },
    },
    async (request, reply) => {
      const { workspace, caller } = await open(request, "control");
      const source = check(request.body, adapters);
      const added = await store.add(workspace.id, source, now());
      if (added === "too-many") throw tooMany();
      if (added === "name-taken") throw nameTaken(source.name);
      note(workspace.id, "info", "devices", `${caller.userName} added the source ${source.name} (${source.kind}).`);
      await book.changed(workspace.id);
      return reply.code(201).send(toWire(source, undefined));
    },
  );

  const unknown = (name: string) => new Problem("not-found", { detail: `The workspace has no source ${name}.` });

  app.put(
    `${PATH}/:source`,
    {
      ...changing,
      schema: {
        ...aboutDevices(
          "Change the settings of a source",
          "Settings that are not given stay. What moves is stopped, and Backplane connects again with the new settings.",
          ["invalid-input"],
        ),
        ...{ access: "devices:control" as const, params: OfSource, body: ChangeSource, response: { 200: Source } },
      },
    },
    async (request) => {
      const { workspace, caller } = await open(request, "control");
      const { source: name } = request.params;
      const before = (await store.list(workspace.id)).find((one) => one.name === name);
      if (!before) throw unknown(name);
      const source = check({ ...before, settings: { ...before.settings, ...request.body.settings } }, adapters);
      await store.change(workspace.id, source);
      note(workspace.id, "info", "devices", `${caller.userName} changed the settings of the source ${name}.`);
      await book.changed(workspace.id);
      return toWire(source, undefined);
    },
  );

  app.delete(
    `${PATH}/:source`,
    {
      ...changing,
      schema: {
        ...aboutDevices("End the connection to a device; what moves is stopped, and the device leaves the workspace"),
        ...{ access: "devices:control" as const, params: OfSource, response: { 204: Type.Null() } },
      },
    },
    async (request, reply) => {
      const { workspace, caller } = await open(request, "control");
      const { source } = request.params;
      if (!(await store.remove(workspace.id, source))) throw unknown(source);
      note(workspace.id, "info", "devices", `${caller.userName} removed the source ${source}.`);
      await book.changed(workspace.id);
      return reply.code(204).send(null);
    },
  );
}

/** Defaults are filled in, so that a later version with other defaults connects to the same device. */
function check({ name, kind, settings: given = {} }: NewSource, adapters: readonly Adapter[]): StoredSource {
  const adapter = adapters.find((known) => known.kind === kind);
  if (!adapter) {
    const message = `must be one of ${adapters.map((known) => known.kind).join(", ")}`;
    throw new Problem("invalid-input", { errors: [{ pointer: "/kind", message }] });
  }
  const settings = structuredClone(given);
  const errors = bodyChecker(adapter.settings)(settings);
  if (errors.length > 0)
    throw new Problem("invalid-input", {
      errors: errors.map(({ pointer, message }) => ({ pointer: `/settings${pointer}`, message })),
    });
  return { name, kind, settings };
}

const toWire = ({ name, kind, settings }: StoredSource, now: SourceNow | undefined): Source => ({
  ...{ name, kind, settings, state: now?.state ?? "connecting", devices: now?.devices ?? [] },
  ...(now?.reason === undefined ? {} : { reason: now.reason }),
});

const tooMany = () =>
  new Problem("too-many-of-these", {
    detail: `A workspace can have ${DEVICES_LIMITS.maxSources} sources. Remove one that is no longer used.`,
  });
const nameTaken = (name: string) =>
  new Problem("name-taken", { detail: `The workspace has a source ${name} already. Choose another name.` });
