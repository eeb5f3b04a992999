import type { ErrorCode, FieldFault } from "@backplane/contract/problems";

/** A code that is in the contract's table. */
type Known<Code extends ErrorCode> = Code;

export type CallErrorCode = Known<
  "invalid-option" | "unreachable" | "refused" | "temporary" | "not-signed-in" | "unexpected-answer" | "aborted"
>;

export type SignInErrorCode = Known<CallErrorCode | "no-webcrypto" | "denied" | "expired" | "timed-out">;

export type OAuthErrorCode = Known<
  // Starting and waiting
  | "invalid-option"
  | "no-webcrypto"
  | "gateway-unreachable"
  | "registration-refused"
  | "aborted"
  | "timed-out"
  | "expired"
  // What the provider said, in the redirect or at its token URL
  | "declined"
  | "provider-error"
  | "issuer-mismatch"
  | "invalid-grant"
  | "temporary"
  | "malformed-answer"
  // What is stored on this machine
  | "not-connected"
  | "credentials-unreadable"
  | "token-file-unreadable"
  | "token-file-unwritable"
  | "token-file-busy"
>;

export type ErrorDetails = {
  /** The option, parameter or field that is wrong. */
  field?: string | undefined;
  /** How long the server asked to wait before the next attempt. */
  retryAfterMs?: number | undefined;
  cause?: unknown;
};

/**
 * Every expected failure of the sdk. The code is stable, for programs; the message is for people and may change: it says
 * what happened and what to do next, and never contains a secret.
 */
export class BackplaneError<Code extends ErrorCode = ErrorCode> extends Error {
  override name = "BackplaneError";
  readonly code: Code;
  readonly field: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: Code, message: string, { field, retryAfterMs, cause }: ErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.field = field;
    this.retryAfterMs = retryAfterMs;
  }
}

export type OAuthErrorDetails = ErrorDetails & {
  /** The provider's own error code, such as `access_denied`, and its description if it gave one. */
  providerError?: string | undefined;
  providerDescription?: string | undefined;
  /** The gateway's code. */
  gatewayCode?: string | undefined;
  /** The file on this machine. */
  path?: string | undefined;
};

/** A failure of connecting to a provider, or of its stored tokens. */
export class OAuthError extends BackplaneError<OAuthErrorCode> {
  override name = "OAuthError";
  readonly providerError: string | undefined;
  readonly providerDescription: string | undefined;
  readonly gatewayCode: string | undefined;
  readonly path: string | undefined;

  constructor(code: OAuthErrorCode, message: string, details: OAuthErrorDetails = {}) {
    super(code, message, details);
    this.providerError = details.providerError;
    this.providerDescription = details.providerDescription;
    this.gatewayCode = details.gatewayCode;
    this.path = details.path;
  }
}

export type AnswerErrorDetails = ErrorDetails & {
  /** HTTP status, if Backplane answered. */
  status?: number | undefined;
  /** Backplane's own code, such as `version-exists` or `intent-denied`. */
  problemCode?: string | undefined;
  /** What is wrong with the request, field by field. */
  faults?: readonly FieldFault[] | undefined;
};

class AnswerError<Code extends ErrorCode> extends BackplaneError<Code> {
  readonly status: number | undefined;
  readonly problemCode: string | undefined;
  readonly faults: readonly FieldFault[];

  constructor(code: Code, message: string, details: AnswerErrorDetails = {}) {
    super(code, message, details);
    this.status = details.status;
    this.problemCode = details.problemCode;
    this.faults = details.faults ?? [];
  }
}

/** A failure of signing in, or of a call about the account. */
export class SignInError extends AnswerError<SignInErrorCode> {
  override name = "SignInError";
}

/** A failure of any other call to Backplane. */
export class CallError extends AnswerError<CallErrorCode> {
  override name = "CallError";
}

/** A failure of a call to the registry. */
export class RegistryError extends CallError {
  override name = "RegistryError";
}

/**
 * A failure of driving a workspace. `problemCode` says which: `panel-unknown`, `wrong-panel-type`, `singleton-panel`,
 * `no-browser-session`, `sharing-required`, `not-rendered`, …
 */
export class PanelsError extends CallError {
  override name = "PanelsError";
}

/** The class of error that an area throws, for code that several areas share. */
export type ErrorClass<Code extends ErrorCode, Details = ErrorDetails> = new (
  code: Code,
  message: string,
  details?: Details,
) => BackplaneError;

/** Any of those that calls to Backplane fail with. */
export type CallErrorClass = ErrorClass<CallErrorCode, AnswerErrorDetails>;

export const invalidOption = (errorClass: ErrorClass<"invalid-option">, field: string, fault: string): BackplaneError =>
  new errorClass("invalid-option", `${field} ${fault}.`, { field });

/** The longest time that a timer takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export function checkTimeoutMs(
  errorClass: ErrorClass<"invalid-option">,
  field: string,
  value: number | undefined,
): void {
  if (value !== undefined && !(value > 0 && value <= MAX_TIMER_MS)) {
    throw invalidOption(errorClass, field, "is not a positive number of milliseconds");
  }
}

export const connectingAborted = (reason: unknown): OAuthError =>
  new OAuthError("aborted", "Connecting was stopped before it was done. Start again to connect.", { cause: reason });
