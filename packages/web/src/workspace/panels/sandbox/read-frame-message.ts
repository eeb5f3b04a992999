import type { EvalLog, FrameToPage } from "@backplane/contract/panels";

const LEVELS: ReadonlySet<unknown> = new Set<EvalLog["level"]>(["log", "info", "warn", "error", "debug"]);
const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const isText = (value: unknown): value is string => typeof value === "string";

type Loose = { [key: string]: unknown };

/**
 * What the port of a frame brought, if it is a message. The frame's own code keeps the port to itself, but it shares its
 * window with code of anybody: nothing is believed to be of its type.
 */
export function readFrameMessage(data: unknown): FrameToPage | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const said = data as Loose;
  return isMessage(said) ? (said as FrameToPage) : undefined;
}

function isMessage({ type, id, json, text, durationMs, error, level, bytes }: Loose): boolean {
  switch (type) {
    case "ready":
      return true;
    case "pong":
    case "waiting":
      return isNumber(id);
    case "log":
      return (id === null || isNumber(id)) && LEVELS.has(level) && isText(text);
    case "executed":
      return isNumber(id) && (json === undefined || isText(json)) && isText(text) && isNumber(durationMs);
    case "failed":
      return isNumber(id) && isText(error) && isNumber(durationMs);
    case "picture":
      return isNumber(id) && bytes instanceof ArrayBuffer;
    case "no-picture":
      return isNumber(id) && isText(error);
    default:
      return false;
  }
}
