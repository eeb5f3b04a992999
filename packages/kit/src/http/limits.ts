/** The bounds of every HTTP server here. A process may tighten or widen one, by name. */
export type HttpLimits = {
  maxBodyBytes: number;
  maxHeaderBytes: number;
  maxParameterCharacters: number;
  /** From the first byte of a request to its last: a slow sender is cut off. */
  requestTimeoutMs: number;
  headersTimeoutMs: number;
  /** How often the two above are looked after. */
  timeoutCheckMs: number;
  /** Longer than the idle time of common load balancers (60 s), so that they close first. */
  keepAliveTimeoutMs: number;
};

export const HTTP_LIMITS: HttpLimits = {
  maxBodyBytes: 1024 * 1024,
  maxHeaderBytes: 16 * 1024,
  maxParameterCharacters: 512,
  requestTimeoutMs: 60_000,
  headersTimeoutMs: 10_000,
  timeoutCheckMs: 5_000,
  keepAliveTimeoutMs: 72_000,
};

/** Smaller answers are sent as they are: compressing them costs more than it saves. */
export const COMPRESS_FROM_BYTES = 1_024;

/** An answer names at most this many faulty fields. */
export const MAX_FIELD_FAULTS = 20;
