import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { PROBLEM_MEDIA_TYPE, type Problem, problemBody } from "../problems.ts";
import { type PreparedHeaders, writePreparedHead } from "./usual-headers.ts";

/** Name, value, name, value: the cheapest form for node:http. */
export type PlainHeaders = readonly string[];

/**
 * For JSON answers that must not be cached: the security headers that matter for data. The others tell a browser what a
 * document may do, and each costs as much as a field of the answer.
 */
export const DATA_HEADERS: PlainHeaders = [
  ["cache-control", "no-store"],
  ["referrer-policy", "no-referrer"],
  ["x-content-type-options", "nosniff"],
  ["content-security-policy", "default-src 'none'; frame-ancestors 'none'"],
].flat();

/** A text that is sent many times: its bytes are counted once. */
export type CountedText = { readonly text: string; readonly bytes: number };

export const countText = (text: string): CountedText => ({ text, bytes: Buffer.byteLength(text) });

/** Answers on node:http itself, for routes whose cost counts. `own`: headers of this answer, beside those of many. */
export function answerPlainly(
  response: ServerResponse,
  status: number,
  headers: PlainHeaders | PreparedHeaders,
  body: string | CountedText,
  own: PlainHeaders = [],
): void {
  const { text, bytes } = typeof body === "string" ? countText(body) : body;
  const ownHeaders = [...own, "content-length", String(bytes)];
  if ("list" in headers) writePreparedHead(response, status, headers, ownHeaders);
  else response.writeHead(status, [...headers, ...ownHeaders]);
  // Most answers are ASCII, which node writes faster as latin1.
  response.end(text, bytes === text.length ? "latin1" : "utf8");
}

/** The same with a problem, whose own headers come after the given ones. */
export function answerWithProblem(
  request: IncomingMessage,
  response: ServerResponse,
  headers: PlainHeaders,
  problem: Problem,
): void {
  const all = ["content-type", PROBLEM_MEDIA_TYPE, ...headers, ...Object.entries(problem.headers).flat()];
  // The rest of the body is not worth reading.
  if (request.method === "POST" && !request.complete) all.push("connection", "close");
  answerPlainly(response, problem.status, all, JSON.stringify(problemBody(problem, randomUUID())));
}
