import { retryAfterMs } from "../exchange/token-refusal.ts";
import { createEventParser, type ServerEvent } from "./event-parser.ts";
import { type StatusAsk, sessionTokenIn, VERIFIER } from "./poll.ts";
import { dressed } from "./request.ts";

export type StreamEnd =
  | { kind: "authenticated"; sessionToken: string }
  /** A poll has to tell how the intent is: it timed out, or what came cannot be read. */
  | { kind: "ask" }
  /** Answered, but not with a stream; 429 and 5xx may do later. */
  | { kind: "none"; isPassing: boolean; retryAfterMs: number | undefined }
  | Lost;

type Lost = { kind: "lost"; hadAnswer: boolean; hadBytes: boolean; wasSilent: boolean };

export type StreamNews = { onBytes(): void; onRetry(retryMs: number): void };

const PASSING = [408, 425, 429, 500, 502, 503, 504];

/** One stream, from its opening to its end. Never throws: what it cannot tell is for a poll to find out. */
export async function followStream(asking: StatusAsk, news: StreamNews): Promise<StreamEnd> {
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
    const headers = { accept: "text/event-stream", [VERIFIER]: verifier };
    const response = await fetch(url, dressed({ method: "GET", headers }, stop.signal));
    lost.hadAnswer = true;
    const isStream = /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
    if (response.status !== 200 || !isStream || response.body === null) {
      const waitMs = retryAfterMs(response.headers.get("retry-after"), now());
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
      news.onBytes();
      if (parsed.retryMs !== undefined) news.onRetry(parsed.retryMs);
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

/** Events with other names are for those who know them. */
function endBy({ name, data }: ServerEvent, maxTokenLength: number): StreamEnd | undefined {
  // A denial ends a stream by the same event: only a poll can tell.
  if (name === "timeout") return { kind: "ask" };
  if (name !== "authenticated") return undefined;
  const sessionToken = sessionTokenIn(parsed(data), maxTokenLength);
  return sessionToken === undefined ? { kind: "ask" } : { kind: "authenticated", sessionToken };
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
