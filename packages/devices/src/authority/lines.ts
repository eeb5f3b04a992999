import type { Ack } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import type { StopReason } from "./decisions.ts";

/** What the log says about who did what. One sentence per line, with the answer of the device. */

const MAX_PARAMS_LENGTH = 200;
const SECRET = /pass|secret|token|key/i;

/** Without what looks like a secret. */
export const redacted = (params: JsonObject): JsonObject => JSON.parse(redactedText(params)) as JsonObject;

const redactedText = (params: JsonObject): string =>
  JSON.stringify(params, (name, value) => (SECRET.test(name) ? "…" : value));

export function paramsText(params: JsonObject): string {
  const text = redactedText(params);
  if (text === "{}") return "";
  return text.length > MAX_PARAMS_LENGTH ? ` ${text.slice(0, MAX_PARAMS_LENGTH)}…` : ` ${text}`;
}

export function answerText({ ok, reached, code, detail, tookMs }: Ack): string {
  if (ok && reached === false) return "sent; the device does not say whether it did it";
  if (ok) return `reached after ${Math.round(tookMs)} ms`;
  if (code === "no-answer") return `no answer within ${Math.round(tookMs)} ms`;
  return `refused${code ? ` (${code})` : ""}${detail ? `: ${detail}` : ""}`;
}

/** `who` is who was in control until then. */
export function stopText(why: StopReason, device: string, who: string | undefined): string {
  const holder = who ?? "Nobody";
  switch (why) {
    case "released":
      return `${holder} let go of ${device}: stopped.`;
    case "dead-man":
      return `${device} stopped: nothing was heard from ${holder} while the control was held.`;
    case "left":
      return `${holder} left ${device}: stopped.`;
    case "lease-over":
      return `${device} stopped: the control of ${holder} ended.`;
    case "taken-over":
      return `${device} stopped: it was taken over from ${holder}.`;
    case "disarmed":
      return `${device} stopped: it was disarmed.`;
    case "device-lost":
      return `${device} was lost while it moved; ${holder} was in control.`;
    case "device-refused":
      return `${device} stopped: it refused a command of ${holder}.`;
    case "stopped":
      return `${device} was told to stop.`;
  }
}
