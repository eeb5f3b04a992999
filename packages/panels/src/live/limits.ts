import { PANELS_LIMITS, SOCKET_LIMITS } from "@backplane/contract/panels";

const { presenceBeatMs, presenceLifeMs, leaseMs, maxBrowsers, maxPendingOrders } = PANELS_LIMITS;

/** What the contract says of browsers and their sockets, and what only this folder needs. */
const LIVE_LIMITS = {
  ...SOCKET_LIMITS,
  ...{ presenceBeatMs, presenceLifeMs, leaseMs, maxBrowsers, maxPendingOrders },
  sweepMs: 5_000,
  closeGraceMs: 1_000,
  /** At a stop: how long browsers have to carry out the orders that they were given. Less than requests have. */
  ordersWithinMs: 1_500,
  /** How long callers wait for a browser that was sent to another instance, and how often they look. */
  movingMs: 5_000,
  movedCheckMs: 100,
  /** How often what web views show is stored, per browser. */
  reportEveryMs: 300,
  /** How much longer than the browser's own time an answer may take between instances. */
  relaySlackMs: 1_000,
  /** How long an instance that has an order for its browser waits for the word that it is still wanted. */
  takeWithinMs: 10_000,
} as const;

export type LiveLimits = { readonly [Name in keyof typeof LIVE_LIMITS]: number };

export const limitsWith = (overrides: Partial<LiveLimits>): LiveLimits => ({ ...LIVE_LIMITS, ...overrides });
