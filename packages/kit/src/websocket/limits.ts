export type SocketLimits = {
  /** One message, all of its fragments together. */
  maxPayloadBytes: number;
  /** Of a message that is refused, this much is read past before the connection is closed for it. */
  maxSkippedBytes: number;
  /** A ping this often; a peer that answered none of `missedPings` in a row is gone. */
  heartbeatMs: number;
  missedPings: number;
  /** A peer that leaves more than this unread is cut off. */
  maxUnsentBytes: number;
  maxConnections: number;
  maxPerAddress: number;
  /** On closing, how long a peer has to say goodbye. */
  closeGraceMs: number;
  /** How often `onSweep` sees each connection. */
  sweepMs: number;
};

export const SOCKET_LIMITS: SocketLimits = {
  maxPayloadBytes: 8 * 1024,
  maxSkippedBytes: 1024 * 1024,
  heartbeatMs: 25_000,
  missedPings: 2,
  maxUnsentBytes: 64 * 1024,
  maxConnections: 19_000,
  maxPerAddress: 100,
  closeGraceMs: 2_000,
  sweepMs: 5_000,
};
