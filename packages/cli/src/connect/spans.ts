import { NO_EXPIRY_MS } from "@backplane/sdk";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A time span in words, in the unit that says enough. */
export function spanOf(ms: number): string {
  if (ms < 2 * MINUTE_MS) return `${Math.floor(ms / 1_000)} s`;
  if (ms < 2 * HOUR_MS) return `${Math.round(ms / MINUTE_MS)} min`;
  return ms < 2 * DAY_MS ? `${Math.round(ms / HOUR_MS)} h` : `${Math.round(ms / DAY_MS)} days`;
}

/** When a token ends, as a clock on the wall says it. */
export function endOf(expiresAtMs: number, nowMs: number): string {
  if (expiresAtMs >= NO_EXPIRY_MS) return "until it is revoked";
  const left = expiresAtMs - nowMs;
  if (left <= 0) return "expired";
  const at = new Date(expiresAtMs);
  const day = at.toDateString() === new Date(nowMs).toDateString() ? "" : `${dateOf(at)} `;
  return `until ${day}${at.toTimeString().slice(0, 5)}, for ${spanOf(left)}`;
}

const dateOf = (at: Date): string =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
