import { OAuthError } from "../errors.ts";
import { providerRefusal } from "../provider-errors.ts";

const TOO_MANY_REQUESTS = 429;
const FORBIDDEN = 403;
const SERVER_FAULT = 500;
/** Whatever a provider asks, nobody is locked out for longer. */
const MAX_RETRY_AFTER_MS = 24 * 60 * 60_000;

/** Why the provider gave no tokens; undefined when its answer is no refusal. A 200 may be one, too: some do that. */
export function refusalOf(
  response: Response,
  body: Readonly<Record<string, unknown>> | undefined,
  secrets: readonly string[],
  nowMs: number,
): OAuthError | undefined {
  const { status } = response;
  if (status === TOO_MANY_REQUESTS || status >= SERVER_FAULT) {
    return new OAuthError("temporary", `The provider is busy (HTTP ${status}). Try again in a moment.`, {
      retryAfterMs: retryAfterMs(response.headers.get("retry-after"), nowMs),
    });
  }
  const error = textOf(body?.error);
  if (error !== undefined) {
    return providerRefusal({ error, description: textOf(body?.error_description) }, secrets);
  }
  if (response.ok) return undefined;
  // Authentication 6 of the contract: a provider in testing mode blocks users with 403.
  return providerRefusal({ error: status === FORBIDDEN ? "access_denied" : `HTTP ${status}` }, secrets);
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** Seconds, or a date (RFC 9110 section 10.2.3). */
export function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  const waitMs = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), MAX_RETRY_AFTER_MS);
}
