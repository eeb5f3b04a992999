import { HlsViewer } from "@backplane/contract/devices";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { Type } from "typebox";
import { aboutDevices, NOT_STORED, STREAMS } from "../../route-options.ts";
import { expectFfmpeg, FILE, findStream, OfStream, type StreamRoutes } from "../route-parts.ts";
import { PLAYLIST } from "./files.ts";

const HLS = `${STREAMS}/:stream/hls`;
const UUID = "7b0cf2b8-6a4e-4d3f-9d59-3a3f5a0c6a11";
const VIEWER = Type.String({ pattern: "^[0-9a-f-]{36}_[0-9a-f-]{36}$", examples: [`${UUID}_${UUID}`] });
const OfViewer = Type.Object({ ...OfStream.properties, viewer: VIEWER });
const OfFile = Type.Object({ ...OfViewer.properties, file: FILE });

/** …/streams/{name}/hls: the pictures by HTTP only, with the last minute. */
export function serveHls(app: App, routes: StreamRoutes): void {
  const { store, book, openWorkspace } = routes;
  app.post(
    HLS,
    {
      ...NOT_STORED,
      schema: {
        ...aboutDevices(
          "Look at a stream by HLS: slower than WebRTC, over HTTP only, with the last minute",
          "`playlist` is the address for a player. It ends with the session or key that asked for it, and when nothing is asked for any more. DELETE `Location` to end it at once.",
          ["stream-unknown", "stream-unavailable", "codec-refused", "ffmpeg-missing"],
        ),
        ...{ params: OfStream, response: { 201: HlsViewer } },
      },
    },
    async (request, reply) => {
      const { workspace, access } = await openWorkspace(request, "read");
      const stream = await findStream(store, workspace.id, request.params.stream);
      await expectFfmpeg(routes, stream);
      const viewer = await book.watchHls(workspace.id, stream, access);
      const location = `${request.url.split("?", 1)[0]}/${viewer}`;
      return reply
        .code(201)
        .header("location", location)
        .send({ playlist: `${location}/${PLAYLIST}` });
    },
  );

  app.get(
    `${HLS}/:viewer/:file`,
    {
      ...NOT_STORED,
      schema: {
        ...aboutDevices("A file of an HLS stream: its playlist, or a part of the video", undefined, [
          ...(["stream-unavailable"] as const),
        ]),
        ...{ params: OfFile, produces: ["application/vnd.apple.mpegurl", "video/mp4", "application/octet-stream"] },
      },
    },
    async (request, reply) => {
      const { workspace } = await openWorkspace(request, "read");
      const { stream, viewer, file } = request.params;
      const found = await book.hlsFile(workspace.id, stream, viewer, file);
      if (!found) throw new Problem("not-found", { detail: GONE });
      if ("reason" in found) throw new Problem("stream-unavailable", { detail: found.reason });
      return reply.type(found.type).send(found.bytes as never);
    },
  );

  app.delete(
    `${HLS}/:viewer`,
    {
      ...NOT_STORED,
      schema: {
        ...aboutDevices("Stop looking at a stream by HLS"),
        ...{ params: OfViewer, response: { 204: Type.Null() } },
      },
    },
    async (request, reply) => {
      const { workspace } = await openWorkspace(request, "read");
      await book.end(workspace.id, request.params.viewer);
      return reply.code(204).send(null);
    },
  );
}

const GONE = "This viewer has ended, or the file is older than a minute. Ask again with POST …/hls.";
