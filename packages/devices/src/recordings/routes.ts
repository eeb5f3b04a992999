import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import {
  ChangeRecording,
  NewRecording,
  Recording,
  RecordingDetails,
  RecordingExportQuery,
  Recordings,
} from "@backplane/contract/devices";
import type { App } from "@backplane/kit/http";
import { Problem, type ProblemCode } from "@backplane/kit/problems";
import { createSlots } from "@backplane/kit/slots";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { type HubRoutes, hubOpener, timeOf } from "../hub/routes.ts";
import { aboutDevices, NOT_STORED, OfRecording, RECORDINGS } from "../route-options.ts";
import type { Recorder } from "../services.ts";
import { csvStream } from "./export-csv.ts";
import { parquetStream } from "./export-parquet.ts";
import { chooseExport, type Export } from "./exports.ts";
import { rangeOf } from "./range.ts";
import type { RecordingBook } from "./recordings.ts";
import { openFileSource } from "./source.ts";
import { detailsOf, type StoredRecording } from "./store.ts";
import { serveVideo } from "./video-routes.ts";

export type RecordingRoutes = Pick<HubRoutes, "openWorkspace" | "openHub"> & { recordings: RecordingBook };

/** Files that are made at once, for a person and for all: each reads and packs as fast as it can. */
const [EXPORTS, ALL_EXPORTS] = [4, 16];

/** The hub of a request's workspace, when it is known what recordings there are. */
const openerOf = (routes: RecordingRoutes) => {
  const open = hubOpener(routes);
  return async (...asked: Parameters<typeof open>) => {
    const opened = await open(...asked);
    await opened.hub.recorder.settled();
    return opened;
  };
};

const about = (summary: string, description?: string, problems: readonly ProblemCode[] = []) =>
  aboutDevices(summary, description, ["recording-unknown", ...problems]);
const changing = { access: "devices:control" as const };

/** Recordings of a workspace: made, listed, changed and downloaded. */
export function serveRecordings(app: App, routes: RecordingRoutes): void {
  const open = openerOf(routes);
  serveMaking(app, routes);
  serveDownloads(app, routes);
  serveVideo(app, routes);

  app.get(
    RECORDINGS,
    {
      ...NOT_STORED,
      schema: { ...aboutDevices("The recordings of the workspace, newest first"), response: { 200: Recordings } },
    },
    async (request) => {
      const { hub, workspace } = await open(request, "read");
      const found = await routes.recordings.list(workspace.id);
      const current = hub.recorder.current();
      return { ...found, recordings: found.recordings.map((one) => (one.id === current?.id ? current : one)) };
    },
  );

  app.get(
    `${RECORDINGS}/:recording`,
    {
      ...NOT_STORED,
      schema: {
        ...about("A recording, with what is in it"),
        ...{ params: OfRecording, response: { 200: RecordingDetails } },
      },
    },
    async (request) => {
      const { workspace, hub } = await open(request, "read");
      const details = detailsOf(await routes.recordings.find(workspace.id, request.params.recording));
      const current = hub.recorder.current();
      return current?.id === details.id ? { ...details, ...current } : details;
    },
  );
}

function serveMaking(app: App, routes: RecordingRoutes): void {
  const open = openerOf(routes);

  app.post(
    RECORDINGS,
    {
      ...NOT_STORED,
      schema: {
        ...aboutDevices(
          "Record the devices of the workspace",
          "It goes on until it is stopped. `lastMs`: it begins that long ago, with what is in memory. `keep`: save the last 10 minutes, or `lastMs`, and end at once.",
          ["already-recording", "recordings-full", "device-unknown"],
        ),
        ...{ ...changing, body: Type.Optional(Type.Union([NewRecording, Type.Null()])), response: { 201: Recording } },
      },
    },
    async (request, reply) => {
      const { hub, caller } = await open(request, "control");
      const recording = await hub.recorder.start({ ...request.body, by: caller.userName, payer: caller.userId });
      return reply.code(201).send(recording);
    },
  );

  app.patch(
    `${RECORDINGS}/:recording`,
    {
      ...NOT_STORED,
      schema: {
        ...about("Stop a recording, or give it another name", "`state` stopped: nothing more is recorded."),
        ...{ ...changing, params: OfRecording, body: ChangeRecording, response: { 200: Recording } },
      },
    },
    async (request) => {
      const { hub, workspace } = await open(request, "control");
      return change(hub.recorder, await routes.recordings.find(workspace.id, request.params.recording), request.body);
    },
  );

  app.delete(
    `${RECORDINGS}/:recording`,
    {
      ...NOT_STORED,
      schema: {
        ...about("Remove a recording with its file", "One that is being made is stopped first."),
        ...{ ...changing, params: OfRecording, response: { 204: Type.Null() } },
      },
    },
    async (request, reply) => {
      const { hub } = await open(request, "control");
      await hub.recorder.remove(request.params.recording);
      return reply.code(204).send(null);
    },
  );
}

async function change(
  recorder: Recorder,
  { id }: StoredRecording,
  { name, state }: ChangeRecording,
): Promise<Recording> {
  if (name !== undefined) {
    const renamed = await recorder.rename(id, name);
    if (state === undefined) return renamed;
  }
  if (state !== undefined) return recorder.stop(id);
  throw new Problem("invalid-input", { detail: "Give a name, or the state stopped." });
}

type Opened = { workspace: { id: string }; caller: { userId: string } };

function serveDownloads(app: App, routes: RecordingRoutes): void {
  const open = openerOf(routes);
  const slots = createSlots(EXPORTS, ALL_EXPORTS);
  const find = async (request: FastifyRequest) => {
    const { workspace, caller }: Opened = await open(request, "read");
    const stored = await routes.recordings.find(workspace.id, (request.params as { recording: string }).recording);
    return { caller, stored, path: await routes.recordings.path(workspace.id, stored) };
  };

  app.get(
    `${RECORDINGS}/:recording.mcap`,
    {
      ...NOT_STORED,
      compress: false,
      schema: {
        ...about("A recording as MCAP, which Foxglove, Lichtblick, PlotJuggler and Rerun open", "Takes a Range.", [
          ...(["still-recording", "range-unsatisfiable"] as const),
        ]),
        ...{ params: OfRecording, produces: ["application/octet-stream"] },
      },
    },
    async (request, reply) => {
      const { stored, path } = await find(request);
      return sendFile(request, named(reply, stored, "mcap"), path);
    },
  );

  const serveExport = (kind: "csv" | "parquet", type: string, streamOf: (what: Export) => Readable) =>
    app.get(
      `${RECORDINGS}/:recording.${kind}`,
      {
        ...NOT_STORED,
        schema: {
          ...about(
            `What devices measured in a recording, as ${kind === "csv" ? "CSV" : "Parquet"}`,
            "With device and capability: a row per sample with a column per field. Otherwise a row per value.",
            ["still-recording", "device-unknown", "invalid-parameter", "too-many-requests"],
          ),
          ...{ params: OfRecording, querystring: RecordingExportQuery, produces: [type] },
        },
      },
      async (request, reply) => {
        const { caller, stored, path } = await find(request);
        const { device, capability, from, to } = request.query;
        const times = { fromMs: timeOf("from", from), toMs: timeOf("to", to) };
        const release = slots.take(caller.userId);
        if (!release) throw tooManyExports();
        const source = await openFileSource(path).catch((error) => {
          release();
          throw error;
        });
        const close = async () => {
          release();
          await source.close();
        };
        try {
          const channel = {
            ...(device === undefined ? {} : { device }),
            ...(capability === undefined ? {} : { capability }),
          };
          const stream = streamOf(chooseExport(source, channel, times));
          stream.once("close", () => void close());
          return named(reply, stored, kind)
            .type(type)
            .send(stream as never);
        } catch (error) {
          await close();
          throw error;
        }
      },
    );
  serveExport("csv", "text/csv; charset=utf-8", csvStream);
  serveExport("parquet", "application/vnd.apache.parquet", parquetStream);
}

const tooManyExports = (): Problem =>
  new Problem("too-many-requests", {
    detail: `A person can export ${EXPORTS} recordings at a time, and all together ${ALL_EXPORTS}. Try again when one is done.`,
    headers: { "retry-after": "5" },
  });

/** The name of a file may come from anybody who records: RFC 6266 has a form for any text. */
function named(reply: FastifyReply, { name }: StoredRecording, kind: string): FastifyReply {
  const file = `${name.replaceAll(/[^\p{L}\p{N} ._-]/gu, "_").replace(/^[. ]+/, "")}.${kind}`;
  const encoded = encodeURIComponent(file).replaceAll(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return reply.header("content-disposition", `attachment; filename="recording.${kind}"; filename*=UTF-8''${encoded}`);
}

async function sendFile(request: FastifyRequest, reply: FastifyReply, path: string): Promise<FastifyReply> {
  const handle = await open(path, "r").catch(() => {
    throw new Problem("recording-unknown", { detail: "The file of this recording is missing." });
  });
  try {
    const { size } = await handle.stat();
    const range = rangeOf(request.headers.range, size);
    const [start, end] = range ?? [0, size - 1];
    reply
      .header("accept-ranges", "bytes")
      .header("content-length", end - start + 1)
      .type("application/octet-stream");
    if (range) reply.code(206).header("content-range", `bytes ${start}-${end}/${size}`);
    return reply.send(handle.createReadStream({ start, end }) as never);
  } catch (error) {
    await handle.close();
    throw error;
  }
}
