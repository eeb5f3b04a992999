import { type EvalLog, type JsonData, PANELS_LIMITS, type RunResult } from "@backplane/contract/panels";

/** What a browser answered, as far as it is an answer. The text is sent as it is: a result may be large. */
export function checkResult(value: JsonData): { result: RunResult; text: string } {
  const result = readResult(value);
  const text = JSON.stringify(result);
  // Of ASCII, which most is, a character is a byte; and no character takes more than three.
  const isTooLong =
    text.length * 3 > PANELS_LIMITS.maxResultBytes && Buffer.byteLength(text) > PANELS_LIMITS.maxResultBytes;
  if (!isTooLong) return { result, text };
  const error = `The result is longer than ${PANELS_LIMITS.maxResultBytes} bytes. Give back less of it.`;
  return withText({ status: "error", error });
}

export const withText = (result: RunResult): { result: RunResult; text: string } => ({
  result,
  text: JSON.stringify(result),
});

function readResult(value: JsonData): RunResult {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const more = {
      ...(Array.isArray(value.logs) && value.logs.length > 0 ? { logs: value.logs as EvalLog[] } : {}),
      ...(typeof value.durationMs === "number" ? { durationMs: value.durationMs } : {}),
    };
    if (value.status === "executed") {
      return { status: "executed", ...(value.result === undefined ? {} : { result: value.result }), ...more };
    }
    if (value.status === "error" && typeof value.error === "string") {
      return { status: "error", error: value.error, ...more };
    }
  }
  return { status: "error", error: "The browser answered with something else than a result. Reload its page." };
}
