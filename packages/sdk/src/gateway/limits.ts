import { REGISTRATION_LIFE_MS } from "@backplane/contract/gateway";

/** Every wait of the OAuth flow and its connection to the gateway. Limits of other parts are next to their code. */
export const LIMITS = {
  flowMs: REGISTRATION_LIFE_MS,
  /**
   * From the start until the gateway has answered `registered`, over all attempts: meanwhile somebody looks at an empty
   * tab. A running gateway answers at once, and one that restarts is back by then.
   */
  connectMs: 5_000,
  /** One attempt, or the answer to one message: a gateway that is silent for longer counts as lost. */
  answerMs: 5_000,
  /**
   * How often a waiting flow checks its connection. Together with the wait for the answer this is less than the 30 s for
   * which the page in the user's browser waits for a lost application.
   */
  heartbeatMs: 20_000,
  /** The delay before the first retry; doubled for each further one, up to the maximum. */
  firstRetryMs: 100,
  maxRetryMs: 2_000,
  /** After a connection that lasted this long, the first retry has no delay. */
  steadyMs: 1_000,
} as const;
