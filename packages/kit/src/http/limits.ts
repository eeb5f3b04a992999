/** The limits of every HTTP server here. A process may override one by name. */
export type HttpLimits = {
  maxBodyBytes: number;
  maxHeaderBytes: number;
  maxParameterCharacters: number;
  /** From a request's headers to the last byte of its body: a slow sender is cut off, unless its route allows more. */
  requestTimeoutMs: number;
  headersTimeoutMs: number;
  /** After an early answer, the rest of the body is read for this long: a client that is cut off while it sends may miss the answer. */
  lingerMs: number;
  /** How often the three limits above are checked. */
  timeoutCheckMs: number;
  /** Longer than the idle time of common load balancers (60 s), so that they close first. */
  keepAliveTimeoutMs: number;
  /** Per process: below the limit of 20,000 open files that many systems have. */
  maxConnections: number;
  maxConnectionsPerAddress: number;
  /** Requests per connection that wait for their answer. */
  maxUnanswered: number;
  /** A client that takes no byte of what waits for it for this long is cut off, as nginx does. */
  maxStalledMs: number;
  /** What clients have not taken yet. Per connection: more than the largest answer that is built in memory, an inline screenshot. */
  maxUnsentBytesPerConnection: number;
  maxUnsentBytesPerAddress: number;
  maxUnsentBytes: number;
  /** How often the four limits above are checked. The one for the process is also checked when an answer exceeds it. */
  unsentCheckMs: number;
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
  maxStalledMs: 60_000,
  maxUnsentBytesPerConnection: 48 * 1024 * 1024,
  maxUnsentBytesPerAddress: 64 * 1024 * 1024,
  maxUnsentBytes: 256 * 1024 * 1024,
  unsentCheckMs: 1_000,
};

/** Smaller answers are not compressed: it would cost more than it saves. */
export const COMPRESS_FROM_BYTES = 1_024;
