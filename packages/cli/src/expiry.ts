import { NO_EXPIRY_MS } from "@backplane/sdk";
import { spanOf } from "./text.ts";

/** When a token or session ends, in local time. */
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
