import { readBytes } from "@backplane/kit/bounded-body";
import { rootOf } from "./addresses.ts";
import { type CallOptions, refusal, unreachable } from "./call.ts";
import type { CallErrorClass } from "./errors.ts";
import { isRedirect, programHeader, REQUEST_OPTIONS, unexpectedAnswer } from "./request.ts";
import { parseJson } from "./text.ts";

/** Streams of events are pinged every 15 s, and files come faster. */
const SILENCE_MS = 60_000;
const MAX_PROBLEM_BYTES = 65_536;

/** The bytes of an answer as they come, however many there are. */
export async function* streamBytes(
  errorClass: CallErrorClass,
  options: CallOptions,
  { path, accept }: { path: string; accept: string },
): AsyncGenerator<Uint8Array, void, void> {
  const { sessionToken, signal, fetch = globalThis.fetch } = options;
  const root = rootOf(options, errorClass);
  const authorization = sessionToken === undefined ? {} : { authorization: `Bearer ${sessionToken}` };
  const stop = new AbortController();
  const onAbort = () => stop.abort();
  signal?.addEventListener("abort", onAbort);
  if (signal?.aborted === true) stop.abort();
  let timer = setTimeout(onAbort, SILENCE_MS);
  try {
    const headers = { ...programHeader(), accept, ...authorization };
    const response = await fetch(`${root}${path}`, { ...REQUEST_OPTIONS, headers, signal: stop.signal });
    if (isRedirect(response)) throw unexpectedAnswer(errorClass, "The address redirects elsewhere", response.status);
    if (!response.ok) {
      const bytes = await readBytes(response.body, MAX_PROBLEM_BYTES);
      const { status, ok: isOk, headers: answered } = response;
      const answer = {
        status,
        isOk,
        headers: answered,
        body: parseJson(bytes && new TextDecoder().decode(bytes)),
        bytes,
      };
      throw refusal(errorClass, answer, sessionToken === undefined ? [] : [sessionToken]);
    }
    for await (const bytes of response.body ?? []) {
      clearTimeout(timer);
      timer = setTimeout(onAbort, SILENCE_MS);
      yield bytes;
    }
  } catch (error) {
    if (error instanceof errorClass) throw error;
    if (signal?.aborted === true)
      throw new errorClass("aborted", "Stopped before it was done.", { cause: signal.reason });
    throw unreachable(
      errorClass,
      root,
      stop.signal.aborted ? `within ${SILENCE_MS / 1_000} s` : "the connection broke",
    );
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    stop.abort();
  }
}
