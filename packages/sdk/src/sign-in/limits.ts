/** Every wait and size of signing in, by name. */
export const SIGN_IN_LIMITS = {
  /** Default client poll interval for intent status: 2000 ms. */
  pollMs: 2_000,
  /** What Backplane has for the answer to one request. */
  answerMs: 10_000,
  /** It pings every 15 s: a stream that is silent for longer is lost, or held back by a proxy. */
  silenceMs: 20_000,
  /** Before a lost stream is opened again, unless the server says otherwise; doubled up to the maximum. */
  retryMs: 2_000,
  maxRetryMs: 10_000,
  /** Streams in a row that were opened and brought nothing: then no more are opened, and polling does. */
  maxBarrenStreams: 3,
  /** Polls in a row that were answered with 5xx. With their growing pauses a restart of some minutes is outlived. */
  maxServerFaults: 20,
  /** Whatever a server asks, it is asked again after this. */
  maxRetryAfterMs: 60_000,
  /** After its end by the clock here, an intent has this long to end by the server's. */
  expiryGraceMs: 5_000,
  /** An intent that claims to live longer is not waited for longer. */
  maxLifeMs: 60 * 60_000,
  maxAnswerBytes: 1024 * 1024,
  maxLineLength: 16 * 1024,
  maxEventLength: 64 * 1024,
  maxTokenLength: 512,
  maxUrlLength: 4_096,
  maxAppNameLength: 80,
  minMaxAgeS: 60,
  maxMaxAgeS: 31_536_000,
};

export type SignInLimits = typeof SIGN_IN_LIMITS;
