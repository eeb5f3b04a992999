import type { EvalLog, FrameBounds, FrameToPage } from "@backplane/contract/panels";
import type { Inspect } from "./inspect-value.ts";
import type { FrameEvent, FrameWindow, Natives } from "./natives.ts";

type Tools = {
  natives: Natives;
  inspect: Inspect;
  current: () => number | null;
  post: (message: FrameToPage) => void;
  bounds: FrameBounds;
};

/** Sends console output and uncaught errors to the page, within limits. */
export function createConsole(frame: FrameWindow, { natives, inspect, current, post, bounds }: Tools): void {
  const { slice } = natives;
  const ONE_SECOND_MS = 1_000;
  let countedFor: number | null = null;
  let told = 0;
  let since = 0;

  /** Limited per call; output that does not belong to a call is limited per second. */
  function isWithinLimit(id: number | null): boolean {
    const nowMs = natives.now(natives.performance);
    if (id !== countedFor || (id === null && nowMs - since > ONE_SECOND_MS)) {
      countedFor = id;
      told = 0;
      since = nowMs;
    }
    told += 1;
    return told <= (id === null ? bounds.maxLogsPerSecond : bounds.maxLogs);
  }

  function tell(level: EvalLog["level"], text: string): void {
    const id = current();
    if (isWithinLimit(id)) post({ type: "log", id, level, text: slice(text, 0, bounds.maxLogLength) });
  }

  function join(values: readonly unknown[]): string {
    let text = "";
    for (let i = 0; i < values.length && text.length < bounds.maxLogLength; i += 1) {
      text += `${i === 0 ? "" : " "}${inspect.say(values[i])}`;
    }
    return text;
  }

  const { console } = frame;
  const patch = (
    name: "log" | "info" | "warn" | "error" | "debug" | "dir" | "table" | "trace",
    level: EvalLog["level"],
  ) => {
    console[name] = (...values: unknown[]) => tell(level, join(values));
  };
  patch("log", "log");
  patch("info", "info");
  patch("warn", "warn");
  patch("error", "error");
  patch("debug", "debug");
  patch("dir", "log");
  patch("table", "log");
  patch("trace", "debug");
  console.assert = (isRight: unknown, ...values: unknown[]) => {
    if (!isRight) tell("error", `Assertion failed${values.length === 0 ? "" : `: ${join(values)}`}`);
  };

  const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;
  frame.addEventListener(
    "error",
    (event: FrameEvent) => {
      // Errors of images and the like have neither.
      if (isObject(event.error)) tell("error", inspect.describeThrown(event.error));
      else if (typeof event.message === "string") tell("error", event.message);
    },
    true,
  );
  frame.addEventListener("unhandledrejection", (event: FrameEvent) => {
    tell("error", `Not caught: ${inspect.describeThrown(event.reason)}`);
    event.preventDefault();
  });
}
