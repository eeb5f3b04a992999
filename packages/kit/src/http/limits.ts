/** The bounds of every HTTP server here. A process may tighten or widen one, by name. */
export type HttpLimits = {
  maxBodyBytes: number;
  maxHeaderBytes: number;
  maxParameterCharacters: number;
  /** From a request's headers to the last byte of its body: a slow sender is cut off, unless its route allows more. */
  requestTimeoutMs: number;
  headersTimeoutMs: number;
  /** The rest of a body that was answered already is read for this long: who is cut off while sending may not read the answer. */
  lingerMs: number;
  /** How often the three above are looked after. */
  timeoutCheckMs: number;
  /** Longer than the idle time of common load balancers (60 s), so that they close first. */
  keepAliveTimeoutMs: number;
  /** Of the process: below the 20,000 open files that many systems grant one. */
  maxConnections: number;
  maxConnectionsPerAddress: number;
  /** Requests of one connection that wait for their answer. */
  maxUnanswered: number;
};

export const HTTP_LIMITS: HttpLimits = {
  maxBodyBytes: 1024 * 1024,
  maxHeaderBytes: 16 * 1024,
  maxParameterCharacters: 512,
  requestTimeoutMs: 60_000,
  headersTimeoutMs: 10_000,
  lingerMs: 5_000,
  timeoutCheckMs: 5_000,
  keepAliveTimeoutMs: 72_000,
  maxConnections: 19_500,
  maxConnectionsPerAddress: 256,
  maxUnanswered: 16,
};

/** Smaller answers are sent as they are: compressing them costs more than it saves. */
export const COMPRESS_FROM_BYTES = 1_024;
