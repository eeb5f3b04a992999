import {
  AddedStream,
  ChangeStream,
  DEVICES_LIMITS,
  NewStream,
  Stream,
  StreamNow,
  Streams,
  TriedStream,
} from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { aboutDevices, NOT_STORED, STREAMS } from "../route-options.ts";
import { changeStream, checkStream } from "./check.ts";
import { serveHls } from "./hls/routes.ts";
import { newPushKey } from "./push/key.ts";
import { servePushKeys } from "./push/routes.ts";
import { expectFfmpeg, findStream, OfStream, type StreamRoutes, unknownStream } from "./route-parts.ts";
import type { StoredStream } from "./store.ts";
import type { StreamBook } from "./streams.ts";
import { serveWhep } from "./whep-routes.ts";

/** …/streams: pictures of cameras. */
export function serveStreams(app: App, routes: StreamRoutes): void {
  serveList(app, routes);
  serveChanges(app, routes);
  serveWhep(app, routes);
  serveHls(app, routes);
  servePushKeys(app, routes);
}

function serveList(app: App, routes: StreamRoutes): void {
  const { adapters, store, book, ffmpeg, openWorkspace, now } = routes;
  const kinds = adapters.map(({ kind, name, description, needsFfmpeg, settings }) => ({
    ...{ kind, name, description, needsFfmpeg, settings: settings as unknown as JsonObject },
  }));

  app.get(
    STREAMS,
    {
      ...NOT_STORED,
      schema: {
        ...aboutDevices("The streams of cameras of the workspace, by name, and the kinds that there are"),
        response: { 200: Streams },
      },
    },
    async (request) => {
      const { workspace } = await openWorkspace(request, "read");
      const streams = (await store.list(workspace.id)).map((one) => toWire(one, book, workspace.id));
      return { streams, kinds, ffmpeg: (await ffmpeg.version()) ?? null };
    },
  );

  app.get(
    `${STREAMS}/:stream`,
    {
      ...NOT_STORED,
      schema: {
        ...aboutDevices("A stream as it is now, and the time of the server", undefined, ["stream-unknown"]),
        ...{ params: OfStream, response: { 200: StreamNow } },
      },
    },
    async (request) => {
      const { workspace } = await openWorkspace(request, "read");
      const stream = await findStream(store, workspace.id, request.params.stream);
      return { ...toWire(stream, book, workspace.id), nowMs: now() };
    },
  );

  app.post(
    `${STREAMS}/:stream/try`,
    {
      ...NOT_STORED,
      schema: {
        ...aboutDevices(
          "Connect to the camera of a stream, and say what comes",
          "Answers when there is a picture, or when it is known why there is none.",
          ["stream-unknown", "stream-unavailable", "ffmpeg-missing"],
        ),
        ...{ params: OfStream, response: { 200: TriedStream } },
      },
    },
    async (request) => {
      const { workspace, access } = await openWorkspace(request, "read");
      const stream = await findStream(store, workspace.id, request.params.stream);
      await expectFfmpeg(routes, stream);
      return book.tryOut(workspace.id, stream, access);
    },
  );
}

function serveChanges(app: App, routes: StreamRoutes): void {
  const { adapters, store, book, note, now, authenticate, openWorkspace } = routes;
  const changing = {
    onRequest: [...NOT_STORED.onRequest, (request: FastifyRequest) => authenticate(request, "control")],
  };

  app.post(
    STREAMS,
    {
      ...changing,
      schema: {
        ...aboutDevices(
          "Add a stream",
          "Nothing is connected until somebody looks. What is secret, such as a password, is kept on the server and is never shown again. To a stream of the kind `whip` pictures are pushed: `push` has the address and the key for that, once.",
          ["invalid-input", "name-taken"],
        ),
        ...{ access: "devices:control" as const, body: NewStream, response: { 201: AddedStream } },
      },
    },
    async (request, reply) => {
      const { workspace, caller } = await openWorkspace(request, "control");
      const stream = checkStream(request.body, adapters);
      const made = adapters.some((adapter) => adapter.kind === stream.kind && "isPushed" in adapter)
        ? newPushKey(routes.baseUrl, { workspaceId: workspace.id, name: stream.name, userId: caller.userId })
        : undefined;
      if (made) stream.secrets.key = made.kept;
      const added = await store.add(workspace.id, stream, now());
      if (added === "too-many") throw tooMany();
      if (added === "name-taken") throw nameTaken(stream.name);
      note(workspace.id, "info", "devices", `${caller.userName} added the stream ${stream.name} (${stream.kind}).`);
      const wire = toWire(stream, book, workspace.id);
      return reply.code(201).send(made ? { ...wire, push: made.push } : wire);
    },
  );

  app.put(
    `${STREAMS}/:stream`,
    {
      ...changing,
      schema: {
        ...aboutDevices(
          "Change the settings of a stream",
          "Settings that are not given stay. Whoever looks is connected again. For another host, or one without encryption, secrets have to be given again.",
          ["invalid-input", "stream-unknown"],
        ),
        ...{ access: "devices:control" as const, params: OfStream, body: ChangeStream, response: { 200: Stream } },
      },
    },
    async (request) => {
      const { workspace, caller } = await openWorkspace(request, "control");
      const { stream: name } = request.params;
      const stream = changeStream(await findStream(store, workspace.id, name), request.body.settings, adapters);
      if (!(await store.change(workspace.id, stream))) throw unknownStream(name);
      note(workspace.id, "info", "devices", `${caller.userName} changed the settings of the stream ${name}.`);
      // Whoever looks sees nothing of whether it is recorded.
      if (Object.keys(request.body.settings).some((setting) => setting !== "record"))
        await book.changed(workspace.id, name);
      return toWire(stream, book, workspace.id);
    },
  );

  app.delete(
    `${STREAMS}/:stream`,
    {
      ...changing,
      schema: {
        ...aboutDevices("Remove a stream; whoever looks sees it end", undefined, ["stream-unknown"]),
        ...{ access: "devices:control" as const, params: OfStream, response: { 204: Type.Null() } },
      },
    },
    async (request, reply) => {
      const { workspace, caller } = await openWorkspace(request, "control");
      const { stream } = request.params;
      if (!(await store.remove(workspace.id, stream))) throw unknownStream(stream);
      note(workspace.id, "info", "devices", `${caller.userName} removed the stream ${stream}.`);
      await book.changed(workspace.id, stream);
      return reply.code(204).send(null);
    },
  );
}

function toWire({ name, kind, settings, secrets }: StoredStream, book: StreamBook, workspaceId: string): Stream {
  const { status, viewers } = book.now(workspaceId, name);
  return { name, kind, settings, secrets: Object.keys(secrets), ...status, viewers };
}

const tooMany = () =>
  new Problem("too-many-of-these", {
    detail: `A workspace can have ${DEVICES_LIMITS.maxStreams} streams. Remove one that is no longer used.`,
  });
const nameTaken = (name: string) =>
  new Problem("name-taken", { detail: `The workspace has a stream ${name} already. Choose another name.` });
