import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { App } from "@backplane/kit/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";

const TYPE = "application/sdp";

/** Of a route that takes an offer and gives an answer, as WHEP and WHIP do. */
export const SDP_BODY = { content: { [TYPE]: { schema: Type.Unsafe<string>({}) } } };
export const SDP_PRODUCED = [TYPE];
export const MAX_SDP = { bodyLimit: DEVICES_LIMITS.maxOfferBytes };

export function takeSdp(scope: App): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(TYPE, { parseAs: "string", ...MAX_SDP }, (_request, body, done) => done(null, body));
}

/** `id`: of the viewer or pusher that has begun, for the address at which it ends. `links`: servers for the way to us. */
export const sendAnswer = (
  request: FastifyRequest,
  reply: FastifyReply,
  { id, answer, links }: { id: string; answer: string; links: string[] },
) =>
  reply
    .code(201)
    .headers(links.length > 0 ? { link: links.join(", ") } : {})
    .header("location", `${request.url.split("?", 1)[0]}/${id}`)
    .type(TYPE)
    .send(answer as never);
