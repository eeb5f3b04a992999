/** Every wait of the flow, by name. Sizes and waits of the token part stand with what they bound. */
export const LIMITS = {
  /** A sign-in has as long as the gateway keeps a registration. */
  flowMs: 10 * 60_000,
  /**
   * From the start until the gateway has said `registered`, over all attempts: somebody looks at an empty tab. A gateway
   * that is up answers at once, and one that is being restarted is back by then.
   */
  connectMs: 5_000,
  /** One attempt, or the answer to one message: a gateway that is silent for longer is taken for lost. */
  answerMs: 5_000,
  /**
   * How often a waiting flow asks whether its connection still lives. With the wait for the answer it stays under the
   * 30 s that the page in the user's browser waits for a lost application.
   */
  heartbeatMs: 20_000,
  firstRetryMs: 100,
  maxRetryMs: 2_000,
  /** A connection that held this long has earned a first retry without delay. */
  steadyMs: 1_000,
  /** What a timer takes. */
  maxTimerMs: 2 ** 31 - 1,
  /** The gateway refuses longer ones. */
  maxProviderLength: 100,
} as const;
