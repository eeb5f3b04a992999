import { PANELS_LIMITS, type SharingRequest } from "@backplane/contract/panels";
import type { CaptureState } from "./capture.ts";
import type { Surface, Unshared } from "./shared-surface.ts";

export const surfaceFor = ({ scope }: Pick<SharingRequest, "scope">): Surface =>
  scope === "screen" ? "monitor" : "browser";

/** Requests for what is not shared yet, the oldest first. */
export const openRequests = (
  requests: readonly SharingRequest[],
  shared: readonly Surface[],
): readonly SharingRequest[] =>
  requests
    .filter((request) => !shared.includes(surfaceFor(request)))
    .sort((a, b) => a.untilMs - a.waitMs - (b.untilMs - b.waitMs));

export type ShareLook = "off" | "asked" | "on" | "cannot";

export function shareLook({ cannot, shared }: CaptureState, asked: number): ShareLook {
  if (cannot !== undefined) return "cannot";
  if (asked > 0) return "asked";
  return shared.length > 0 ? "on" : "off";
}

const ON: Record<string, string> = { browser: "Sharing this tab", monitor: "Sharing the screen" };

export function shareLabel(look: ShareLook, shared: readonly Surface[]): string {
  if (look === "cannot") return "Cannot share";
  if (look === "asked") return "Screenshot requested";
  if (look === "off") return "Share for screenshots";
  return (shared.length === 1 && ON[shared[0] ?? ""]) || "Sharing tab and screen";
}

export function shareTitle(look: ShareLook, { cannot, shared }: CaptureState): string {
  if (look === "cannot") return cannot ?? "";
  if (look === "asked") return "A program asks for a screenshot. Click to see who and why.";
  if (look === "off") return "Let programs take screenshots of this tab. Your browser asks first.";
  const what = shared.includes("monitor") ? "your screen" : "this tab";
  return `Programs may take screenshots of ${what}. Click to stop.`;
}

export function targetWords({ scope, tabId }: SharingRequest, titleOf: (tabId: string) => string | undefined): string {
  if (scope === "screen") return "Your entire screen";
  if (scope === "workspace") return "Workspace: all panels side by side";
  const title = tabId === null ? undefined : titleOf(tabId);
  return title === undefined ? "One panel" : `Panel: ${title}`;
}

export const nextWords = ({ scope }: Pick<SharingRequest, "scope">): string =>
  scope === "screen"
    ? "Your browser asks once which screen to share. Sharing stays on until you stop it with this icon."
    : "Your browser asks once which tab to share. Sharing stays on until you stop it with this icon.";

/** For screen readers. */
export function askedWords({ by, reason }: Pick<SharingRequest, "by" | "reason">): string {
  const why = reason === null ? "." : `: "${reason}"`;
  return `${by} asks for a screenshot${why} Share, or Not now, at the monitor icon.`;
}

export const othersWords = (count: number): string | undefined =>
  count < 1 ? undefined : count === 1 ? "1 more request is waiting." : `${count} more requests are waiting.`;

export const FAULT_WORDS: Record<Unshared, string> = {
  declined: "Nothing is shared: the browser's dialog was closed. Press Share to see it again.",
  refused:
    "Nothing is shared: the system does not let this browser capture the screen. Allow it in the system settings.",
  "other-tab": "Nothing is shared: that was not this tab. Press Share again and choose this tab.",
  "no-picture": "Nothing is shared: the browser sent no picture in time. Press Share again.",
  "no-screen": "Nothing is shared: that was not a screen. Press Share again and choose an entire screen.",
};

export const unansweredWords = ({ by }: Pick<SharingRequest, "by">): string =>
  `${by} stopped waiting for a screenshot. To allow its next one, press the monitor icon.`;

/** One pin per second, as long as single pins can be seen. */
const MAX_PINS = 30;

type Countdown = { leftS: number; ofS: number; pins: number; lit: number; label: string; words: string };

/** How long a program still waits. The server's clock may differ, so it is kept between zero and the whole wait. */
export function countdown({ untilMs, waitMs }: Pick<SharingRequest, "untilMs" | "waitMs">, nowMs: number): Countdown {
  const leftMs = Math.min(Math.max(untilMs - nowMs, 0), waitMs);
  const leftS = Math.ceil(leftMs / 1_000);
  const ofS = Math.max(1, Math.ceil(waitMs / 1_000));
  const pins = Math.min(ofS, MAX_PINS);
  const lit = Math.ceil((leftMs * pins) / Math.max(1, waitMs));
  const label = leftS === 0 ? "The program stopped waiting" : "The program is waiting";
  const words = leftS === 0 ? closesWords(untilMs + PANELS_LIMITS.sharingLingersMs - nowMs) : leftWords(leftS);
  return { leftS, ofS, pins, lit, label, words };
}

const closesWords = (leftMs: number): string =>
  `closes in ${Math.ceil(Math.min(Math.max(leftMs, 0), PANELS_LIMITS.sharingLingersMs) / 1_000)} s`;

function leftWords(leftS: number): string {
  return leftS < 60 ? `${leftS} s left` : `${Math.floor(leftS / 60)} min ${leftS % 60} s left`;
}
