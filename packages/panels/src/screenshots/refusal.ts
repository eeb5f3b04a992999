import type { OrderFault, ScreenshotScope } from "@backplane/contract/panels";
import { Problem, type ProblemCode } from "@backplane/kit/problems";
import type { Answered } from "../services.ts";

const RETRY_AFTER_S = 5;

const CODES: Record<OrderFault, ProblemCode> = {
  "not-rendered": "not-rendered",
  "not-mounted": "not-rendered",
  "not-sharing": "sharing-required",
  "wrong-surface": "sharing-required",
  "shot-failed": "shot-failed",
  unsupported: "shot-failed",
  "tab-unknown": "tab-unknown",
};

/** Why the browser has sent no picture, as the caller is told. */
export function refusal(answered: Answered): Problem {
  if (answered.ok) return new Problem("shot-failed");
  if (answered.reason === "refused") return new Problem(CODES[answered.code], { detail: answered.detail });
  if (answered.reason === "no-browser") return new Problem("no-browser-session");
  if (answered.reason === "busy") return new Problem("browser-busy", { headers: retryLater() });
  return new Problem("browser-timeout");
}

const WHAT = {
  panel: "this tab",
  workspace: "this tab",
  screen: "the entire screen",
} as const satisfies Record<ScreenshotScope, string>;

export const sharingRequired = (scope: ScreenshotScope): Problem =>
  new Problem("sharing-required", {
    detail: `Ask the user to open the workspace in Chrome or Edge, press Share at the monitor icon of its bar and choose ${WHAT[scope]}. Then repeat this call.`,
    headers: retryLater(),
  });

const retryLater = (): Record<string, string> => ({ "retry-after": String(RETRY_AFTER_S) });
