import { OAuthError } from "../errors.ts";

/** Stable, for programs; the message is for people and may change. */
export type SignInErrorCode =
  // Asking.
  | "invalid-option"
  | "no-webcrypto"
  | "unreachable"
  | "refused"
  | "temporary"
  | "unexpected-answer"
  // Waiting for the person.
  | "denied"
  | "expired"
  | "timed-out"
  | "aborted"
  // Using the session.
  | "not-signed-in";

export type SignInErrorDetails = {
  /** The option that is wrong. */
  field?: string | undefined;
  /** HTTP status, where Backplane answered. */
  status?: number | undefined;
  /** Backplane's own stable code, such as `intent-denied` or `caller-mismatch`. */
  problemCode?: string | undefined;
  /** How long Backplane asked to be left alone. */
  retryAfterMs?: number | undefined;
  cause?: unknown;
};

/** Every expected failure of signing in. Its message says what happened, then the next step; it never holds a token. */
export class SignInError extends Error {
  override name = "SignInError";
  readonly code: SignInErrorCode;
  readonly field: string | undefined;
  readonly status: number | undefined;
  readonly problemCode: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: SignInErrorCode, message: string, details: SignInErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.field = details.field;
    this.status = details.status;
    this.problemCode = details.problemCode;
    this.retryAfterMs = details.retryAfterMs;
  }
}

export const badOption = (field: string, fault: string): SignInError =>
  new SignInError("invalid-option", `${field} ${fault}.`, { field });

export const wasAborted = (reason: unknown): SignInError =>
  new SignInError("aborted", "Signing in was stopped before it was done. Start again to sign in.", { cause: reason });

export const unexpected = (fault: string, status?: number): SignInError =>
  new SignInError("unexpected-answer", `${fault}. Check that baseUrl is the address of a Backplane.`, { status });

/** `reason` is a word of the operating system or a time, never an error of somebody's fetch: that may hold the request. */
export const unreachable = (root: string, reason: string): SignInError =>
  new SignInError(
    "unreachable",
    `${root} does not answer (${reason}). Check that Backplane runs there and that this machine reaches it.`,
    { field: "baseUrl" },
  );

/** What the parts that are shared with OAuth refuse, in the words of signing in. */
export function asSignInError(error: unknown): unknown {
  if (!(error instanceof OAuthError)) return error;
  const code = error.code === "no-webcrypto" ? "no-webcrypto" : "invalid-option";
  return new SignInError(code, error.message, { field: error.field });
}
