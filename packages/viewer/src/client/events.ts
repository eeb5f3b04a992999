import { setTimeout as sleep } from "node:timers/promises";
import { PAGE_PATH, type ViewerEvent } from "@backplane/contract/viewer";
import { Problem } from "@backplane/kit/problems";
import type { Ask } from "./viewer-calls.ts";

/** As on the wire, with the event's name as `type`. `hello` comes first, and again after each interruption. */
export type StreamEvent = { type: "hello"; newest: string | null } | ViewerEvent;

export type EventLimits = {
  firstDelayMs: number;
  longestDelayMs: number;
  /** Failures in a row before giving up. */
  tries: number;
  /** The viewer sends something every 15 s. */
  silenceMs: number;
  maxUnreadCharacters: number;
};

export const EVENT_LIMITS: EventLimits = {
  firstDelayMs: 250,
  longestDelayMs: 5_000,
  tries: 8,
  silenceMs: 45_000,
  maxUnreadCharacters: 1_000_000,
};

/** Worth another try. */
const TEMPORARY: ReadonlySet<number> = new Set([408, 429, 500, 503]);

/**
 * Yields events until the signal aborts, then throws its reason. Opens an interrupted stream again. Throws if the viewer
 * refuses, does not answer the first time, or stays away.
 */
export async function* followEvents(
  ask: Ask,
  signal: AbortSignal,
  limits: EventLimits = EVENT_LIMITS,
): AsyncGenerator<StreamEvent, never> {
  let failures = 0;
  let wasOpen = false;
  for (;;) {
    try {
      for await (const event of readStream(ask, signal, limits)) {
        failures = 0;
        wasOpen = true;
        yield event;
      }
    } catch (error) {
      signal.throwIfAborted();
      const isTemporary = !(error instanceof Problem) || TEMPORARY.has(error.status);
      if (!wasOpen || !isTemporary || failures >= limits.tries) throw error;
    }
    failures += 1;
    const delayMs = Math.min(limits.longestDelayMs, limits.firstDelayMs * 2 ** (failures - 1));
    await sleep(delayMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

async function* readStream(ask: Ask, signal: AbortSignal, limits: EventLimits): AsyncGenerator<StreamEvent> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), limits.silenceMs);
  try {
    const either = AbortSignal.any([signal, silence.signal]);
    const { body } = await ask(`${PAGE_PATH}/events`, { signal: either, isStream: true });
    let rest = "";
    for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      timer.refresh();
      const blocks = (rest + text).split("\n\n");
      rest = blocks.pop() ?? "";
      if (rest.length > limits.maxUnreadCharacters) throw new RangeError("An event is too long.");
      for (const block of blocks) {
        const event = eventIn(block);
        if (event) yield event;
      }
    }
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

/** Reads what our own server writes: a name and one line of data. Ignores other events. */
function eventIn(block: string): StreamEvent | undefined {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
  const [type, data] = [field("event"), field("data")];
  if (data === undefined) return undefined;
  const value = JSON.parse(data);
  if (type === "paste") return { type, paste: value };
  return type === "hello" || type === "removed" ? { type, ...value } : undefined;
}
