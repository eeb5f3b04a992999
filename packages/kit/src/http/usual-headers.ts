import { type ServerResponse, validateHeaderName, validateHeaderValue } from "node:http";
import type { FastifyInstance, FastifyReply } from "fastify";

/**
 * Headers of many answers, name and value in turn, checked and put together once. None of those that frame a message or
 * end its connection: node:http would not see them.
 */
export type PreparedHeaders = { readonly list: readonly string[]; readonly text: string };

/** Names and values, and the same as the text of an answer. */
type UsualHeaders = {
  readonly values: Readonly<Record<string, string>>;
  readonly names: readonly string[];
  readonly text: string;
};

const USUAL = Symbol("usual headers");
const REQUEST_ID = Symbol("request id");
const IS_FRAMED = Symbol("is framed");
const PREPARED = Symbol("prepared headers");

/** A response of a class that `useUsualHeaders` has prepared, or any other, such as that of an injected request. */
type Response = ServerResponse & {
  [USUAL]?: UsualHeaders;
  [REQUEST_ID]?: string;
  [IS_FRAMED]?: true;
  [PREPARED]?: string;
};

/** Node's own: writes the first line and the headers, which it checks and joins one by one. */
type HeadWriter = Response & { _storeHeader(firstLine: string, headers: object | undefined): void };

const lineOf = (name: string, value: string): string => `${name}: ${value}\r\n`;

/**
 * Headers that every answer of Fastify has, unless its route sets another value. Node checks each header of each answer by
 * two regular expressions; these are the same for all, so they are put together once. With Fastify's `reply.headers` they
 * would be an eighth of the cost of a short request. `reply.getHeaders()` does not list them.
 */
export function useUsualHeaders(
  app: FastifyInstance,
  Response: typeof ServerResponse,
  values: UsualHeaders["values"],
): void {
  const names = Object.keys(values);
  const usual = { values, names, text: names.map((name) => lineOf(name, values[name] ?? "")).join("") };
  const prototype = Response.prototype as HeadWriter;
  const write = prototype._storeHeader;
  prototype[USUAL] = usual;
  prototype._storeHeader = function (firstLine, headers = {}) {
    const id = this[REQUEST_ID];
    const start = firstLine + (this[PREPARED] ?? "");
    write.call(this, id === undefined ? start : start + usualText(usual, id, headers, this), headers);
  };
  app.decorate(USUAL as never, usual as never);
}

function usualText({ values, names, text }: UsualHeaders, id: string, headers: object, response: Response): string {
  const isChanged = response[IS_FRAMED] === true || hasAny(headers, values);
  const lines = isChanged
    ? names
        .filter((name) => !(name in headers) && !isLeftOut(name, response))
        .map((name) => lineOf(name, values[name] ?? ""))
        .join("")
    : text;
  return "x-request-id" in headers ? lines : lines + lineOf("x-request-id", id);
}

/** By the few headers of an answer, not by all the usual ones. */
function hasAny(headers: object, values: UsualHeaders["values"]): boolean {
  for (const name in headers) if (name in values) return true;
  return false;
}

const isLeftOut = (name: string, response: Response): boolean =>
  name === "x-frame-options" && response[IS_FRAMED] === true;

export function prepareHeaders(list: readonly string[]): PreparedHeaders {
  let text = "";
  for (let at = 0; at < list.length; at += 2) {
    const [name = "", value = ""] = [list[at], list[at + 1]];
    validateHeaderName(name);
    validateHeaderValue(name, value);
    text += lineOf(name, value);
  }
  return { list, text };
}

/** `writeHead` with prepared headers and a few of this answer. */
export function writePreparedHead(
  response: Response,
  status: number,
  { list, text }: PreparedHeaders,
  own: readonly string[],
): void {
  if (response[USUAL]) response[PREPARED] = text;
  response.writeHead(status, response[USUAL] ? [...own] : [...list, ...own]);
}

/** Call it before the head of an answer is written: for a route of Fastify by a hook, for others where they answer. */
export function addUsualHeaders(reply: FastifyReply): void {
  const response: Response = reply.raw;
  if (response[USUAL]) response[REQUEST_ID] = reply.request.id;
  else addOneByOne(reply);
}

function addOneByOne(reply: FastifyReply): void {
  const usual = (reply.server as { [USUAL]?: UsualHeaders })[USUAL];
  for (const [name, value] of Object.entries({ ...usual?.values, "x-request-id": reply.request.id })) {
    if (!reply.hasHeader(name) && !isLeftOut(name, reply.raw)) reply.header(name, value);
  }
}

/** For a page that others may frame; its own policy says who. */
export function allowFraming(reply: FastifyReply): FastifyReply {
  (reply.raw as Response)[IS_FRAMED] = true;
  return reply;
}
