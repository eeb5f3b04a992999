/** Every count and wait of the load generator, by name. */

/** Callbacks that are on their way at any time, over connections that are kept. */
export const callers = 32;
/** Handshakes under way while a crowd connects. */
export const openingAtOnce = 128;
/** Flows under way at any time, from connecting to closing. */
export const flowsAtOnce = 64;
/**
 * Loopback addresses the sockets come from: one address has 28,000 ports, and those of closed connections are taken for
 * another minute. With so many, no address has 100 sockets, the most a gateway may allow.
 */
export const sources = 250;
/** The last callback was sent so long ago, and something is still missing: it is lost. */
export const lostAfterMs = 10_000;
/** Nothing connected for so long: the server does not take more. */
export const stalledAfterMs = 15_000;
/** The largest thing a server sends here is the page of a callback. */
export const readBufferBytes = 64 * 1024;
/** A timer is late by about this much; what remains is waited for awake. */
export const tickerLeadMs = 0.2;
/** A held socket registers anew this often, well within the life of a registration. */
export const renewEveryMs = 4 * 60_000;
