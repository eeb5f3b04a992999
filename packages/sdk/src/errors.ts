/** Stable, for programs; the message is for people and may change. */
export type OAuthErrorCode =
  // Starting and waiting.
  | "invalid-option"
  | "no-webcrypto"
  | "gateway-unreachable"
  | "registration-refused"
  | "aborted"
  | "timed-out"
  | "expired"
  // What the provider said, in the redirect or at its token URL.
  | "declined"
  | "provider-error"
  | "issuer-mismatch"
  | "invalid-grant"
  | "temporary"
  | "malformed-answer"
  // What is kept on this machine.
  | "not-connected"
  | "credentials-unreadable"
  | "token-file-unreadable"
  | "token-file-unwritable"
  | "token-file-busy";

export type OAuthErrorDetails = {
  /** The option, parameter or field that is wrong. */
  field?: string | undefined;
  /** The provider's own error code, such as `access_denied`, and its words if it gave any. */
  providerError?: string | undefined;
  providerDescription?: string | undefined;
  /** The gateway's stable code. */
  gatewayCode?: string | undefined;
  /** How long the provider asked to be left alone. */
  retryAfterMs?: number | undefined;
  /** The file on this machine. */
  path?: string | undefined;
  cause?: unknown;
};

/** Every expected failure of the sdk. Its message says what happened, then the next step; it never holds a secret. */
export class OAuthError extends Error {
  override name = "OAuthError";
  readonly code: OAuthErrorCode;
  readonly field: string | undefined;
  readonly providerError: string | undefined;
  readonly providerDescription: string | undefined;
  readonly gatewayCode: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly path: string | undefined;

  constructor(code: OAuthErrorCode, message: string, details: OAuthErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.field = details.field;
    this.providerError = details.providerError;
    this.providerDescription = details.providerDescription;
    this.gatewayCode = details.gatewayCode;
    this.retryAfterMs = details.retryAfterMs;
    this.path = details.path;
  }
}

export function invalidOption(field: string, fault: string): OAuthError {
  return new OAuthError("invalid-option", `${field} ${fault}.`, { field });
}

export function aborted(reason: unknown): OAuthError {
  return new OAuthError("aborted", "Connecting was stopped before it was done. Start again to connect.", {
    cause: reason,
  });
}
