import { VERIFIER_HEADER } from "@backplane/contract/intents";
import { createSleeper } from "../keep-trying.ts";
import { programHeader, REQUEST_OPTIONS, retryAfterMs } from "../request.ts";
import { parseJson } from "../text.ts";
import { createEventParser, type ServerEvent } from "./event-parser.ts";
import { type StatusAsk, sessionTokenIn } from "./poll.ts";

export type Streaming = {
  asking: StatusAsk & { signal: AbortSignal };
  random(): number;
  /** Whether a working stream is open, so that polling is not needed. */
  onLive(isLive: boolean): void;
  /** A poll should find out the state of the intent at once. */
  onDoubt(): void;
};

/**
 * Keeps a stream open, over lost connections, until there is a session. Undefined if streams do not work here: the
 * server does not answer with one, or a proxy holds it back.
 */
export async function keepStreaming({ asking, random, onLive, onDoubt }: Streaming): Promise<string | undefined> {
  const { limits, signal } = asking;
  const { sleep } = createSleeper(signal);
  let retryMs = limits.retryMs;
  let losses = 0;
  let emptyStreams = 0;
  for (;;) {
    const end = await followStream(asking, {
      onBytes() {
        losses = 0;
        emptyStreams = 0;
        onLive(true);
      },
      onRetry(givenMs) {
        retryMs = Math.min(givenMs, limits.maxRetryMs);
      },
    });
    if (signal.aborted) return undefined;
    onLive(false);
    if (end.kind === "authenticated") return end.sessionToken;
    if (end.kind === "ask" || (end.kind === "none" && !end.isPassing)) {
      onDoubt();
      return undefined;
    }
    if (end.kind === "lost" && end.wasSilent) onDoubt();
    // A server that cannot be reached may come back; a stream that delivers nothing will not change.
    if (end.kind === "lost" && !end.hadBytes && (end.hadAnswer || end.wasSilent)) emptyStreams += 1;
    if (emptyStreams >= limits.maxEmptyStreams) return undefined;
    const pauseMs = Math.min(retryMs * 2 ** losses, limits.maxRetryMs);
    const askedMs = end.kind === "none" ? Math.min(end.retryAfterMs ?? 0, limits.maxRetryAfterMs) : 0;
    losses += 1;
    // The clients of an instance that restarts should not all come back at the same moment.
    await sleep(Math.max(pauseMs * (0.75 + random() / 2), askedMs));
    if (signal.aborted) return undefined;
  }
}

type StreamEnd =
  | { kind: "authenticated"; sessionToken: string }
  /** Only a poll can tell the state of the intent: it timed out, or the stream cannot be read. */
  | { kind: "ask" }
  /** Answered, but not with a stream; after 429 and 5xx it may work later. */
  | { kind: "none"; isPassing: boolean; retryAfterMs: number | undefined }
  | Lost;

type Lost = { kind: "lost"; hadAnswer: boolean; hadBytes: boolean; wasSilent: boolean };

type StreamEvents = { onBytes(): void; onRetry(retryMs: number): void };

const PASSING = [408, 425, 429, 500, 502, 503, 504, 507];

/** One stream, from its opening to its end. Never throws: a poll finds out what went wrong. */
async function followStream(asking: StatusAsk, events: StreamEvents): Promise<StreamEnd> {
  const { url, verifier, fetch, limits, signal, now } = asking;
  const lost: Lost = { kind: "lost", hadAnswer: false, hadBytes: false, wasSilent: false };
  const stop = new AbortController();
  const onAbort = () => stop.abort();
  signal?.addEventListener("abort", onAbort);
  const onSilence = () => {
    lost.wasSilent = true;
    stop.abort();
  };
  let timer = setTimeout(onSilence, limits.silenceMs);
  try {
    signal?.throwIfAborted();
    const headers = { ...programHeader(), accept: "text/event-stream", [VERIFIER_HEADER]: verifier };
    const response = await fetch(url, { ...REQUEST_OPTIONS, headers, signal: stop.signal });
    lost.hadAnswer = true;
    const isStream = /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
    if (response.status !== 200 || !isStream || response.body === null) {
      const waitMs = retryAfterMs(response.headers, now());
      return { kind: "none", isPassing: PASSING.includes(response.status), retryAfterMs: waitMs };
    }
    const parse = createEventParser(limits);
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return lost;
      clearTimeout(timer);
      timer = setTimeout(onSilence, limits.silenceMs);
      const parsed = parse(decoder.decode(value, { stream: true }));
      if (parsed === undefined) return { kind: "ask" };
      lost.hadBytes = true;
      events.onBytes();
      if (parsed.retryMs !== undefined) events.onRetry(parsed.retryMs);
      for (const event of parsed.events) {
        const end = endBy(event, limits.maxTokenLength);
        if (end !== undefined) return end;
      }
    }
  } catch {
    return lost;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    stop.abort();
  }
}

/** Events with other names are ignored. */
function endBy({ name, data }: ServerEvent, maxTokenLength: number): StreamEnd | undefined {
  // A denial ends a stream with the same event: only a poll can tell.
  if (name === "timeout") return { kind: "ask" };
  if (name !== "authenticated") return undefined;
  const sessionToken = sessionTokenIn(parseJson(data), maxTokenLength);
  return sessionToken === undefined ? { kind: "ask" } : { kind: "authenticated", sessionToken };
}
