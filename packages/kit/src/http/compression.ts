import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest, RawServerBase, RawServerDefault } from "fastify";
import { COMPRESS_FROM_BYTES } from "./limits.ts";

declare module "fastify" {
  export interface RouteShorthandOptions<RawServer extends RawServerBase = RawServerDefault> {
    /** False: answers are sent as they are. */
    compress?: false;
  }
  export interface RouteOptions {
    compress?: false;
  }
}

type Encoding = "br" | "gzip";

const brotli = promisify(brotliCompress);
export const pack = {
  // The quality is that of most servers: the best one takes a hundred times as long.
  br: (bytes: Buffer) => brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: promisify<Buffer, Buffer>(gzip),
} satisfies Record<Encoding, (bytes: Buffer) => Promise<Buffer>>;

const COMPRESSIBLE = /^(?:text\/(?!event-stream)|(?:application|image)\/(?:.*\+)?(?:json|javascript|xml))/;

/**
 * Compresses answers that are whole texts. Streams are sent as they are: a compressor takes megabytes, and a client that
 * does not read its answer would make us keep one.
 */
export function compress(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error?: Error | null, payload?: unknown) => void,
): void {
  const text = isCompressible(reply, payload) ? payload : undefined;
  if (text) reply.header("vary", [reply.getHeader("vary") ?? [], "accept-encoding"].flat().join(", "));
  const encoding = text && acceptedBy(headers["accept-encoding"]);
  if (!encoding) done(null, payload);
  else {
    pack[encoding](Buffer.from(text)).then((packed) => {
      reply.headers({ "content-encoding": encoding, "content-length": packed.length });
      done(null, packed);
    }, done);
  }
}

function isCompressible(reply: FastifyReply, payload: unknown): payload is string | Buffer {
  if (typeof payload !== "string" && !Buffer.isBuffer(payload)) return false;
  const isPlain = payload.length >= COMPRESS_FROM_BYTES && !reply.hasHeader("content-encoding");
  return isPlain && COMPRESSIBLE.test(String(reply.getHeader("content-type")));
}

/** The best encoding of ours that an Accept-Encoding header allows (RFC 9110, section 12.5.3). */
export function acceptedBy(header: string | string[] | undefined): Encoding | undefined {
  const named = new Map<string, boolean>();
  for (const part of String(header ?? "").split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    named.set(name, !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)));
  }
  return (["br", "gzip"] as const).find((encoding) => named.get(encoding) ?? (encoding === "gzip" && named.get("*")));
}
