import type { FrameSink, Refusal } from "../frames.ts";

/** For tests: what a reader said, in order. A `close` or a `violation` is the last. */
export type Heard =
  | { text: string }
  | { refused: Refusal }
  | { ping: string }
  | { pong: true }
  | { close: number }
  | { violation: number };

export function recordingSink(): FrameSink & { heard: Heard[] } {
  const heard: Heard[] = [];
  return {
    heard,
    isDone: false,
    onText: (text) => heard.push({ text }),
    onRefused: (refused) => heard.push({ refused }),
    onPing: (payload) => heard.push({ ping: payload.toString("latin1") }),
    onPong: () => heard.push({ pong: true }),
    onCloseFrame: (close) => heard.push({ close }),
    onViolation: (violation) => heard.push({ violation }),
  };
}
