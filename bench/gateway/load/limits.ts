/** All counts and time-outs of the load generator. */

/** Callbacks in flight at any time, over keep-alive connections. */
export const callers = 32;
/** Handshakes in progress while a crowd connects. */
export const openingAtOnce = 128;
/** Flows in progress at any time, from connecting to closing. */
export const flowsAtOnce = 64;
/**
 * Loopback addresses the sockets come from: one address has 28,000 ports, and those of closed connections are taken for
 * another minute. With so many, no address has 100 sockets, the most a gateway may allow.
 */
export const sources = 250;
/** This long after the last callback, whatever is still missing counts as lost. */
export const lostAfterMs = 10_000;
/** When nothing connected for this long, the server accepts no more. */
export const stalledAfterMs = 15_000;
/** The largest thing a server sends here is the page of a callback. */
export const readBufferBytes = 64 * 1024;
/** Timers are late by about this much; the rest is a busy wait. */
export const tickerLeadMs = 0.2;
/** How often a held socket registers again, well within the life of a registration. */
export const renewEveryMs = 4 * 60_000;
