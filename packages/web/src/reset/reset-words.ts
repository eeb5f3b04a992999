import type { OpenReset, PasswordReset } from "@backplane/contract/accounts";
import { clock } from "../parts/times.ts";
import { counted } from "../parts/words.ts";

const MINUTE_MS = 60_000;

/** Who made the link, and for how long it works. */
export function linkWords({ made_by, created_at, expires_at }: OpenReset, now: Date): string {
  const at = clock(new Date(created_at), now);
  const maker = made_by === null ? "This link was made on the machine" : `${made_by} made this link`;
  // Rounded, not up: the server's clock in the Date header has no milliseconds, and an hour must not read as 61 minutes.
  const minutes = Math.max(1, Math.round((Date.parse(expires_at) - now.getTime()) / MINUTE_MS));
  return `${maker} at ${at}; it works once and for ${counted(minutes, "more minute")}.`;
}

/** "3 sessions and 1 API key"; empty when there are none. */
const accessWords = (sessions: number, apiKeys: number): string =>
  [sessions > 0 && counted(sessions, "session"), apiKeys > 0 && counted(apiKeys, "API key")]
    .filter(Boolean)
    .join(" and ");

/** What saving does, beside the password. */
export function endingWords({ sessions, api_keys: apiKeys }: OpenReset): string {
  if (sessions + apiKeys === 0) return "Nothing else has access to this account.";
  return `Saving ends everything that has access: ${accessWords(sessions, apiKeys)}. Passkeys keep working.`;
}

export function doneWords({ name, ended_sessions: sessions, ended_api_keys: apiKeys }: PasswordReset): string {
  const here = `You are signed in here as ${name}.`;
  return sessions + apiKeys === 0 ? here : `${accessWords(sessions, apiKeys)} ended. ${here}`;
}

export const repeatFault = (password: string, again: string): string | undefined =>
  password === again ? undefined : "The two do not match. Type the second again.";
