/** Stable, for programs; the message is for people and may change. */
export type CallErrorCode =
  | "invalid-option"
  | "unreachable"
  | "refused"
  | "temporary"
  | "not-signed-in"
  | "unexpected-answer"
  | "aborted";

/** One thing that is wrong with what was sent: where, and what. */
export type CallFault = { pointer: string; message: string };

export type CallErrorDetails = {
  /** The option that is wrong. */
  field?: string | undefined;
  /** HTTP status, where Backplane answered. */
  status?: number | undefined;
  /** Backplane's own stable code, such as `version-exists` or `singleton-panel`. */
  problemCode?: string | undefined;
  /** What is wrong with what was sent, field by field. */
  faults?: readonly CallFault[] | undefined;
  /** How long Backplane asked to be left alone. */
  retryAfterMs?: number | undefined;
  cause?: unknown;
};

/** Every expected failure of a call to Backplane. Its message says what happened, then the next step; it never holds a token. */
export class CallError extends Error {
  override name = "CallError";
  readonly code: CallErrorCode;
  readonly field: string | undefined;
  readonly status: number | undefined;
  readonly problemCode: string | undefined;
  readonly faults: readonly CallFault[];
  readonly retryAfterMs: number | undefined;

  constructor(code: CallErrorCode, message: string, details: CallErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.field = details.field;
    this.status = details.status;
    this.problemCode = details.problemCode;
    this.faults = details.faults ?? [];
    this.retryAfterMs = details.retryAfterMs;
  }
}
