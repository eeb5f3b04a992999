/** Every bound of web views and of the proxy behind them. */
export const WEBVIEW_LIMITS = {
  /** How long GET waits for the browser before it tells what the state says. */
  reportTimeoutMs: 2_000,
  maxTitleLength: 300,
  maxFaultLength: 300,
  /** A pass in an address: time enough for one redirect. */
  enterLifeMs: 60_000,
  /** The same in a cookie, and every pass that is made of it: then the signed-in page must ask anew. */
  stayLifeMs: 8 * 3_600_000,
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 30_000,
  /** Without a byte of an answer's body. */
  idleTimeoutMs: 120_000,
  /** Of a request's body: without a byte, and in all. */
  sendIdleMs: 30_000,
  sendWithinMs: 600_000,
  maxHeaderBytes: 65_536,
  maxRequestBytes: 67_108_864,
  maxAnswerBytes: 1_073_741_824,
  /** A page that is rewritten, unpacked. */
  maxPageBytes: 16_777_216,
  maxRequestsPerSite: 64,
  maxRequests: 1_000,
  maxConnectionsPerOrigin: 128,
  maxSocketsPerSite: 32,
  maxSockets: 1_000,
  socketIdleMs: 600_000,
  /** Looking whether a site lets itself be framed: in all, at a time for one person, and for everybody. */
  framingTimeoutMs: 4_000,
  maxFramingRedirects: 5,
  maxFramingChecksPerPerson: 8,
  maxFramingChecks: 64,
} as const;

export type WebviewLimits = { readonly [Name in keyof typeof WEBVIEW_LIMITS]: number };
