import { OAuthError } from "../errors.ts";
import { retryAfterMs } from "../request.ts";
import { providerRefusal } from "./provider-refusal.ts";

export type OAuthTokens = {
  accessToken: string;
  refreshToken?: string;
  /** Epoch milliseconds. */
  expiresAt: number;
  /** The granted scopes, separated by spaces, if they differ from the requested ones. */
  scope?: string;
  tokenType: string;
  idToken?: string;
};

/** `expiresAt` of tokens without an expiry, which live until they are revoked: the latest time that a Date can hold. */
export const NO_EXPIRY_MS = 8_640_000_000_000_000;

/** Reads a successful answer (RFC 6749 section 5.1). Faults are named by field; values stay out of the message. */
export function readTokens(body: Readonly<Record<string, unknown>>, nowMs: number): OAuthTokens {
  const refreshToken = optionalText(body, "refresh_token");
  const scope = optionalText(body, "scope");
  const idToken = optionalText(body, "id_token");
  const accessToken = optionalText(body, "access_token");
  if (accessToken === undefined) throw malformed("access_token", "is missing");
  return {
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    expiresAt: expiry(body.expires_in, nowMs),
    ...(scope === undefined ? {} : { scope }),
    // Required, but some providers leave it out.
    tokenType: optionalText(body, "token_type") ?? "Bearer",
    ...(idToken === undefined ? {} : { idToken }),
  };
}

function optionalText(body: Readonly<Record<string, unknown>>, field: string): string | undefined {
  const value = body[field];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") throw malformed(field, "is not a string");
  return value;
}

/** Some providers write the seconds as text. */
function expiry(expiresIn: unknown, nowMs: number): number {
  if (expiresIn === undefined || expiresIn === null) return NO_EXPIRY_MS;
  const isNumeral = typeof expiresIn === "string" && /^\d+$/.test(expiresIn);
  const seconds = isNumeral ? Number(expiresIn) : expiresIn;
  if (typeof seconds !== "number" || !(seconds >= 0)) throw malformed("expires_in", "is not a number of seconds");
  return Math.min(nowMs + Math.floor(seconds * 1_000), NO_EXPIRY_MS);
}

function malformed(field: string, fault: string): OAuthError {
  return new OAuthError(
    "malformed-answer",
    `The provider's answer does not follow OAuth 2.0: ${field} ${fault}. Check that tokenUrl is its token URL.`,
    { field },
  );
}

const TOO_MANY_REQUESTS = 429;
const FORBIDDEN = 403;
const SERVER_FAULT = 500;

/** Why the provider gave no tokens; undefined if it did not refuse. Some providers refuse with status 200. */
export function tokenRefusal(
  { status, ok, headers }: Response,
  body: Readonly<Record<string, unknown>> | undefined,
  secrets: readonly string[],
  nowMs: number,
): OAuthError | undefined {
  if (status === TOO_MANY_REQUESTS || status >= SERVER_FAULT) {
    return new OAuthError("temporary", `The provider is busy (HTTP ${status}). Try again in a moment.`, {
      retryAfterMs: retryAfterMs(headers, nowMs),
    });
  }
  const error = textOf(body?.error);
  if (error !== undefined) return providerRefusal({ error, description: textOf(body?.error_description) }, secrets);
  if (ok) return undefined;
  // Authentication 6 of the contract: a provider in testing mode blocks users with 403.
  return providerRefusal({ error: status === FORBIDDEN ? "access_denied" : `HTTP ${status}` }, secrets);
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
