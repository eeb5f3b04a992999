import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { Type } from "typebox";
import { aboutDevices, NOT_STORED, STREAMS } from "../route-options.ts";
import { readOffer } from "./offer.ts";
import { expectFfmpeg, findStream, OfStream, type StreamRoutes } from "./route-parts.ts";
import { MAX_SDP, SDP_BODY, SDP_PRODUCED, sendAnswer, takeSdp } from "./sdp-body.ts";

const WHEP = `${STREAMS}/:stream/whep`;
const VIEWER = Type.String({ pattern: "^[0-9a-f-]{36}$", examples: ["7b0cf2b8-6a4e-4d3f-9d59-3a3f5a0c6a11"] });
const OfViewer = Type.Object({ ...OfStream.properties, viewer: VIEWER });

/** …/streams/{name}/whep: how players ask for the pictures (WebRTC-HTTP Egress Protocol). */
export function serveWhep(app: App, routes: StreamRoutes): void {
  const { store, book, iceLinks, openWorkspace } = routes;
  app.register(async (scope: App) => {
    takeSdp(scope);
    scope.post(
      WHEP,
      {
        ...{ ...NOT_STORED, ...MAX_SDP },
        schema: {
          ...aboutDevices(
            "Look at a stream: an SDP offer, answered by an SDP answer",
            "The answer has the address of the viewer in `Location`; DELETE it to end. The stream ends with the session or key that asked for it. `Link` names STUN and TURN servers for the way, if there are any.",
            ["stream-unknown", "stream-unavailable", "codec-refused", "ffmpeg-missing", "malformed-request"],
          ),
          ...{ params: OfStream, body: SDP_BODY, produces: SDP_PRODUCED },
        },
      },
      async (request, reply) => {
        const { workspace, access } = await openWorkspace(request, "read");
        const read = readOffer(String(request.body), "receive");
        if ("reason" in read) throw new Problem("malformed-request", { detail: read.reason });
        const stream = await findStream(store, workspace.id, request.params.stream);
        await expectFfmpeg(routes, stream);
        const { viewer, answer } = await book.watch(workspace.id, stream, read.offer, access);
        return sendAnswer(request, reply, { id: viewer, answer, links: iceLinks(viewer) });
      },
    );
  });

  app.delete(
    `${WHEP}/:viewer`,
    {
      ...NOT_STORED,
      schema: {
        ...aboutDevices("Stop looking at a stream"),
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
