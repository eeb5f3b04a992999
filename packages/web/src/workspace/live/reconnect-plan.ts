/** Every wait of the connection. */
export const LINK_WAITS = {
  /** After the first failure; it doubles with each further one. */
  firstRetryMs: 500,
  maxRetryMs: 15_000,
  /** From connecting to the server's welcome. */
  welcomeWithinMs: 15_000,
  renewEveryMs: 60_000,
  /** A server that does not confirm in this time is not there any more. */
  renewedWithinMs: 10_000,
} as const;

/** How long to wait before the next try. Never all pages at the same moment, when a server comes back. */
export function retryDelayMs(failures: number, random: () => number, atLeastMs = 0): number {
  const { firstRetryMs, maxRetryMs } = LINK_WAITS;
  const longest = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.max(0, failures - 1));
  return Math.max(atLeastMs, Math.round(longest * (0.5 + random() / 2)));
}
