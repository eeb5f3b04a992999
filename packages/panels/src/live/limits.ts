import { PANELS_LIMITS } from "@backplane/contract/panels";

/** What an answer has around its value: its type, its id, and the words of the value's own frame. */
const ANSWER_SLACK_BYTES = 65_536;
/** As many of the longest pieces of code as a browser may have before it. */
const LARGE_ORDERS = 64;

/** Every limit of the connection with browsers that the contract does not name. */
export const LIVE_LIMITS = {
  maxPayloadBytes: PANELS_LIMITS.maxResultBytes + ANSWER_SLACK_BYTES,
  /** Of one order, as JSON text in UTF-8: it must also fit into a message of the bus. */
  maxOrderBytes: 1_000_000,
  /** Of all orders that one browser has before it. */
  maxPendingOrderBytes: LARGE_ORDERS * PANELS_LIMITS.maxCodeBytes,
  /** All of those, and a layout while another one is still under way. */
  maxUnsentBytes: LARGE_ORDERS * PANELS_LIMITS.maxCodeBytes + 2 * PANELS_LIMITS.maxLayoutBytes,
  maxPerAddress: 200,
  /** Who connects has this long to show a ticket. */
  helloWithinMs: 10_000,
  sweepMs: 5_000,
  closeGraceMs: 1_000,
  /** A value of an answer may be nested this deep: what goes deeper cannot be written down again. */
  maxAnswerDepth: 1_000,
  /** Messages of one browser that are no answers we wait for: so many at once, then so many a second. */
  messageBurst: 2 * PANELS_LIMITS.maxPendingOrders,
  messagesPerSecond: 200,
  /** How often what a web view shows is written, for all web views of a browser. */
  reportEveryMs: 300,
  maxTitleLength: 300,
  maxDetailLength: 300,
  /** How much longer than the browser's own time an answer may be under way between instances. */
  relaySlackMs: 1_000,
  ticketsPerMinute: 300,
} as const;

export type LiveLimits = { readonly [Name in keyof typeof LIVE_LIMITS]: number } & {
  readonly presenceBeatMs: number;
  readonly presenceLifeMs: number;
  readonly leaseMs: number;
  readonly maxBrowsers: number;
  readonly maxPendingOrders: number;
};

export const limitsWith = (overrides: Partial<LiveLimits>): LiveLimits => ({
  ...LIVE_LIMITS,
  presenceBeatMs: PANELS_LIMITS.presenceBeatMs,
  presenceLifeMs: PANELS_LIMITS.presenceLifeMs,
  leaseMs: PANELS_LIMITS.leaseMs,
  maxBrowsers: PANELS_LIMITS.maxBrowsers,
  maxPendingOrders: PANELS_LIMITS.maxPendingOrders,
  ...overrides,
});
