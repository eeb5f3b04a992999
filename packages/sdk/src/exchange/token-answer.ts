import { OAuthError } from "../errors.ts";

export type OAuthTokens = {
  accessToken: string;
  refreshToken?: string;
  /** Epoch milliseconds. */
  expiresAt: number;
  /** What was granted, separated by spaces, when it differs from what was asked. */
  scope?: string;
  tokenType: string;
  idToken?: string;
};

/** The latest moment a Date can hold: `expiresAt` of tokens that name no end and live until they are revoked. */
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
    // Required, but left out by some.
    tokenType: optionalText(body, "token_type") ?? "Bearer",
    ...(idToken === undefined ? {} : { idToken }),
  };
}

function optionalText(body: Readonly<Record<string, unknown>>, field: string): string | undefined {
  const value = body[field];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") throw malformed(field, "is no text");
  return value;
}

/** Some providers write the seconds as text. */
function expiry(expiresIn: unknown, nowMs: number): number {
  if (expiresIn === undefined || expiresIn === null) return NO_EXPIRY_MS;
  const isNumeral = typeof expiresIn === "string" && /^\d+$/.test(expiresIn);
  const seconds = isNumeral ? Number(expiresIn) : expiresIn;
  if (typeof seconds !== "number" || !(seconds >= 0)) throw malformed("expires_in", "is no number of seconds");
  return Math.min(nowMs + Math.floor(seconds * 1_000), NO_EXPIRY_MS);
}

function malformed(field: string, fault: string): OAuthError {
  return new OAuthError(
    "malformed-answer",
    `The provider's answer is not as OAuth 2.0 has it: ${field} ${fault}. Check that tokenUrl is its token URL.`,
    { field },
  );
}
