import type { IncomingMessage, ServerResponse } from "node:http";
import { SCHEMA_V2_MEDIA_TYPE } from "@backplane/contract/registry";
import { limitConcurrency } from "@backplane/kit/concurrency";
import { endWithPieces, type PlainHeaders } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { FastifyReply } from "fastify";
import { type Encoding, etagOf, type IndexFile, isZip } from "../catalogue/index-file.ts";
import { bytesIn } from "../catalogue/pieces.ts";
import type { ByVersion } from "../catalogue/snapshot.ts";
import { encodingReader, namesFile, versionReader } from "./http-headers.ts";

/** For the newest file: clients ask every time, and a 304 is short. */
export const NEWEST = "public, no-cache";
/** For addresses whose content never changes. */
export const FOREVER = "public, max-age=31536000, immutable";

/** For what only some may read. */
export const SECRET = "private, no-store";

/** A file at an address. Its headers are prepared once and sent often. */
export type Served = {
  file: IndexFile;
  cacheControl: string;
  /** The route, for the metrics. */
  route: string;
  type: string;
  vary: string;
  /** What clients that ask for version 2 of the schema get at this address. */
  v2?: Served;
  etags: Readonly<Record<Encoding, string>>;
  whole: Map<Encoding, PlainHeaders>;
  unchanged: Map<Encoding, PlainHeaders>;
};

/** The names of request headers on which an answer depends, as `Vary` lists them. */
const BY_ENCODING = "accept-encoding";
const BY_VERSION = "accept, accept-encoding";

/** A file at an address where `Accept` decides on the version of the schema. */
export const servedByVersion = (files: ByVersion, cacheControl: string, route: string): Served => ({
  ...served(files[1], cacheControl, route),
  vary: BY_VERSION,
  v2: { ...served(files[2], cacheControl, route), type: SCHEMA_V2_MEDIA_TYPE, vary: BY_VERSION },
});

export const served = (file: IndexFile, cacheControl: string, route: string): Served => ({
  ...{ file, cacheControl, route, type: typeOf(file.name), vary: BY_ENCODING },
  etags: {
    identity: etagOf(file.sha256, "identity"),
    gzip: etagOf(file.sha256, "gzip"),
    br: etagOf(file.sha256, "br"),
  },
  whole: new Map(),
  unchanged: new Map(),
});

/** Headers of public data: anybody may read it, nothing in it may run. */
export const PUBLIC_HEADERS: PlainHeaders = [
  ["access-control-allow-origin", "*"],
  ["cross-origin-resource-policy", "cross-origin"],
  ["referrer-policy", "no-referrer"],
  ["x-content-type-options", "nosniff"],
  ["content-security-policy", "default-src 'none'; frame-ancestors 'none'"],
].flat();

export const typeOf = (name: string): string =>
  isZip(name) ? "application/zip" : name.endsWith(".png") ? "image/png" : "application/json; charset=utf-8";

const encodingsOf = encodingReader();
const isForV2 = versionReader();

/** Answers GET and HEAD directly on node:http with bytes that many answers share; returns the status. */
export const answerFile = (request: IncomingMessage, response: ServerResponse, it: Served): 200 | 304 =>
  answer(request, response, it, (bytes) => endWithPieces(response, bytes));

/** Answers with bytes of their own may have megabytes. Made one after the other, many requests at once do not fill the memory. */
const MADE_AT_ONCE = 2;
const MAX_WAITING = 1_000;

/** Makes a few answers at a time. While too many requests wait, further ones are told to come back. */
export const limitAnswers = ({ atOnce = MADE_AT_ONCE, maxWaiting = MAX_WAITING } = {}) =>
  limitConcurrency({
    ...{ atOnce, maxWaiting },
    whenFull: () =>
      new Problem("too-many-requests", {
        detail: "Many others are asking for this. Try again in a moment.",
        headers: { "retry-after": "1" },
      }),
  });

/**
 * The same with bytes that were read for this answer. They are written at once, so that they count as unsent: in pieces,
 * a client that does not read would keep all of them without being noticed.
 */
export const answerOnce = (request: IncomingMessage, response: ServerResponse, it: Served): 200 | 304 =>
  answer(request, response, it, (bytes) => response.end(bytes.length === 1 ? bytes[0] : Buffer.concat(bytes)));

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  at: Served,
  end: (bytes: readonly Buffer[]) => void,
): 200 | 304 {
  const { accept, accepted, known } = readHeaders(request.rawHeaders);
  const it = at.v2 && isForV2(accept) ? at.v2 : at;
  const encoding = bestForm(it.file, accepted);
  if (known !== undefined && (known === it.etags[encoding] || namesFile(known, it.file.sha256))) {
    response.writeHead(304, unchangedHead(it, encoding) as string[]);
    response.end();
    return 304;
  }
  response.writeHead(200, wholeHead(it, encoding) as string[]);
  if (request.method === "HEAD") response.end();
  else end(it.file[encoding] ?? it.file.identity);
  return 200;
}

function bestForm(file: IndexFile, header: string | undefined): Encoding {
  for (const encoding of encodingsOf(header)) if (file[encoding]) return encoding;
  return "identity";
}

type ReadHeaders = Record<"accept" | "accepted" | "known", string | undefined>;

/** Reads three headers, without making node:http build an object of all of them. */
function readHeaders(raw: readonly string[]): ReadHeaders {
  let accept: string | undefined;
  let accepted: string | undefined;
  let known: string | undefined;
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] as string;
    // Comparing the length first is faster. A header that comes twice is a list.
    if (name.length === ACCEPT_ENCODING.length && name.toLowerCase() === ACCEPT_ENCODING) {
      accepted = joined(accepted, raw[index + 1]);
    } else if (name.length === IF_NONE_MATCH.length && name.toLowerCase() === IF_NONE_MATCH) {
      known = joined(known, raw[index + 1]);
    } else if (name.length === ACCEPT.length && name.toLowerCase() === ACCEPT) {
      accept = joined(accept, raw[index + 1]);
    }
  }
  return { accept, accepted, known };
}

const ACCEPT = "accept";
const ACCEPT_ENCODING = "accept-encoding";
const IF_NONE_MATCH = "if-none-match";

const joined = (before: string | undefined, value = ""): string =>
  before === undefined ? value : `${before}, ${value}`;

/** RFC 9110, section 15.4.5: only headers about caching. */
function unchangedHead({ etags, cacheControl, vary, unchanged }: Served, encoding: Encoding): PlainHeaders {
  const known = unchanged.get(encoding);
  if (known) return known;
  const head = [
    ["etag", etags[encoding]],
    ["cache-control", cacheControl],
    ["vary", vary],
    ["access-control-allow-origin", "*"],
  ].flat();
  unchanged.set(encoding, head);
  return head;
}

function wholeHead(it: Served, encoding: Encoding): PlainHeaders {
  const known = it.whole.get(encoding);
  if (known) return known;
  const { file, cacheControl, type, vary } = it;
  const head = [
    ...["content-type", type, "content-length", String(bytesIn(file[encoding] ?? []))],
    ...(encoding === "identity" ? [] : ["content-encoding", encoding]),
    ...["etag", it.etags[encoding], "cache-control", cacheControl, "vary", vary],
    ...PUBLIC_HEADERS,
  ];
  it.whole.set(encoding, head);
  return head;
}

/** For routes that anybody may read, including pages of other origins. */
export const PUBLIC_ROUTE = {
  onRequest: async (_request: unknown, reply: FastifyReply): Promise<void> => {
    reply.header("cross-origin-resource-policy", "cross-origin");
  },
};

export const tags = ["registry"];
