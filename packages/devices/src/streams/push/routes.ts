import { DEVICE_ID, PushAccess } from "@backplane/contract/devices";
import { type App, openToAnyOrigin } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { hashSecret } from "@backplane/kit/secrets";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { aboutDevices, NOT_STORED, STREAMS } from "../../route-options.ts";
import { readOffer } from "../offer.ts";
import { findStream, OfStream, type StreamRoutes, unknownStream } from "../route-parts.ts";
import { MAX_SDP, SDP_BODY, SDP_PRODUCED, sendAnswer, takeSdp } from "../sdp-body.ts";
import type { StoredStream } from "../store.ts";
import { newPushKey, readKeptKey } from "./key.ts";

/** Of the workspace, and not by its name: the address stays when somebody renames it. */
const WHIP = "/api/whip/:workspace/:stream";
const UUID = "^[\\w-]{1,64}$";
const EXAMPLE = { examples: ["7b0cf2b8-6a4e-4d3f-9d59-3a3f5a0c6a11"] };
const OfPushed = Type.Object({ workspace: Type.String({ pattern: UUID, ...EXAMPLE }), stream: DEVICE_ID });
const OfPusher = Type.Object({
  ...OfPushed.properties,
  pusher: Type.String({ pattern: "^[0-9a-f-]{36}$", ...EXAMPLE }),
});

/** …/streams/{name}/key: another key, in place of the one before. */
export function servePushKeys(app: App, routes: StreamRoutes): void {
  const { store, book, note, adapters, baseUrl, authenticate, openWorkspace } = routes;
  app.post(
    `${STREAMS}/:stream/key`,
    {
      onRequest: [...NOT_STORED.onRequest, (request: FastifyRequest) => authenticate(request, "control")],
      schema: {
        ...aboutDevices(
          "Make a new key for pushing pictures to a stream; it is shown only once",
          "The key before it does not work any more, and whoever pushes with it is ended.",
          ["stream-unknown", "malformed-request"],
        ),
        ...{ access: "devices:control" as const, params: OfStream, response: { 201: PushAccess } },
      },
    },
    async (request, reply) => {
      const { workspace, caller } = await openWorkspace(request, "control");
      const { stream: name } = request.params;
      const stream = await findStream(store, workspace.id, name);
      if (!adapters.some((adapter) => adapter.kind === stream.kind && "isPushed" in adapter))
        throw new Problem("malformed-request", { detail: "Nobody pushes to this stream: it is got from its address." });
      const { push, kept } = newPushKey(baseUrl, { workspaceId: workspace.id, name, userId: caller.userId });
      if (!(await store.change(workspace.id, { ...stream, secrets: { key: kept } }))) throw unknownStream(name);
      note(workspace.id, "info", "devices", `${caller.userName} made a new key for the stream ${name}.`);
      await book.changed(workspace.id, name);
      return reply.code(201).send(push);
    },
  );
}

/** /api/whip/…: how pictures are pushed (WebRTC-HTTP Ingestion Protocol, RFC 9725). Whoever has the key may do that, and nothing else. */
export function servePush(app: App, { store, book, iceLinks }: StreamRoutes): void {
  const about = (summary: string, description?: string) => ({
    ...{ tags: ["devices"], summary },
    ...(description === undefined ? {} : { description }),
  });

  /** The same answer for a wrong key and for a stream that is not there: nobody learns which there are. */
  async function opened(request: FastifyRequest): Promise<{ workspace: string; stream: StoredStream }> {
    const { workspace, stream: name } = request.params as { workspace: string; stream: string };
    const key = /^Bearer (bpc_[\w-]{43})$/i.exec(request.headers.authorization ?? "")?.[1];
    const stream = key === undefined ? undefined : await store.find(workspace, name);
    if (key === undefined || !stream || readKeptKey(stream, workspace).hash !== hashSecret(key))
      throw new Problem("stream-key-needed", {
        detail: "This needs the key of the stream as a bearer token. If it was lost, make a new one.",
        headers: { "www-authenticate": "Bearer" },
      });
    return { workspace, stream };
  }
  /** Before the body is read. */
  const first = {
    onRequest: [...NOT_STORED.onRequest, async (request: FastifyRequest) => void (await opened(request))],
  };

  app.register(async (scope: App) => {
    takeSdp(scope);
    openToAnyOrigin(scope, [
      { url: WHIP, methods: ["POST"] },
      { url: `${WHIP}/:pusher`, methods: ["DELETE"] },
    ]);
    scope.post(
      WHIP,
      {
        ...{ ...first, ...MAX_SDP },
        schema: {
          ...about(
            "Push pictures to a stream: an SDP offer, answered by an SDP answer",
            "With the key of the stream as a bearer token. The answer has the address of the pusher in `Location`; DELETE it to end. Another one who pushes to the same stream takes its place.",
          ),
          ...{ access: "stream-key" as const, problems: ["malformed-request", "too-many-of-these"] as const },
          ...{ params: OfPushed, body: SDP_BODY, produces: SDP_PRODUCED },
        },
      },
      async (request, reply) => {
        const { workspace, stream } = await opened(request);
        const read = readOffer(String(request.body), "send");
        if ("reason" in read) throw new Problem("malformed-request", { detail: read.reason });
        const { pusher, answer } = await book.push(workspace, stream, read.offer);
        return sendAnswer(request, reply, { id: pusher, answer, links: iceLinks(pusher) });
      },
    );
    scope.delete(
      `${WHIP}/:pusher`,
      {
        ...first,
        schema: {
          ...about("Stop pushing pictures to a stream"),
          ...{ access: "stream-key" as const, params: OfPusher, response: { 204: Type.Null() } },
        },
      },
      async (request, reply) => {
        const { workspace } = await opened(request);
        await book.end(workspace, request.params.pusher);
        return reply.code(204).send(null);
      },
    );
  });
}
