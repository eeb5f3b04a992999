/** Stable, for programs; the message is for people and may change. */
export type RegistryErrorCode =
  | "invalid-option"
  | "unreachable"
  | "refused"
  | "temporary"
  | "not-signed-in"
  | "unexpected-answer"
  | "aborted";

/** One thing that is wrong with what was sent: where, and what. */
export type RegistryFault = { pointer: string; message: string };

export type RegistryErrorDetails = {
  /** The option that is wrong. */
  field?: string | undefined;
  /** HTTP status, where Backplane answered. */
  status?: number | undefined;
  /** Backplane's own stable code, such as `version-exists` or `archive-refused`. */
  problemCode?: string | undefined;
  /** What is wrong with the archive or its metadata. */
  faults?: readonly RegistryFault[] | undefined;
  /** How long Backplane asked to be left alone. */
  retryAfterMs?: number | undefined;
  cause?: unknown;
};

/** Every expected failure of a call to the registry. Its message says what happened, then the next step; it never holds a token. */
export class RegistryError extends Error {
  override name = "RegistryError";
  readonly code: RegistryErrorCode;
  readonly field: string | undefined;
  readonly status: number | undefined;
  readonly problemCode: string | undefined;
  readonly faults: readonly RegistryFault[];
  readonly retryAfterMs: number | undefined;

  constructor(code: RegistryErrorCode, message: string, details: RegistryErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.field = details.field;
    this.status = details.status;
    this.problemCode = details.problemCode;
    this.faults = details.faults ?? [];
    this.retryAfterMs = details.retryAfterMs;
  }
}
