export const PANELS_LIMITS = {
  // Workspaces and their layout
  maxWorkspacesPerOwner: 1_000,
  maxWorkspacesListed: 200,
  /** People with whom one workspace is shared. */
  maxSharedPeople: 50,
  /** Of what others share with a person, the newest are listed. */
  maxSharesListed: 200,
  maxTabs: 200,
  maxDepth: 32,
  minRatio: 0.05,
  maxUndo: 50,
  maxNameLength: 120,
  maxTitleLength: 300,
  /** The icon of a tab: a data URL, or a name; and the sides of a PNG in pixels. */
  maxIconBytes: 16_384,
  maxIconNameLength: 64,
  maxIconSide: 1_024,
  maxUrlLength: 4_096,
  /** A tab's `panelState`, as JSON text in UTF-8. */
  maxStateBytes: 32_768,
  maxStateDepth: 100,
  /** The whole layout with the state of its tabs, as JSON text in UTF-8. */
  maxLayoutBytes: 1_048_576,
  /** Changes that wait for their turn, per workspace and instance. */
  maxWaitingEdits: 2_000,
  /** A program's event stream ends after this; it connects again and authenticates again. */
  eventStreamLifeMs: 900_000,

  // Browsers
  /** Browsers per workspace; also event streams per workspace. */
  maxBrowsers: 50,
  presenceLifeMs: 25_000,
  presenceBeatMs: 8_000,
  ticketLifeMs: 30_000,
  ticketsPerMinute: 300,
  /** A browser proves within this time, again and again, that its user is still signed in. */
  leaseMs: 150_000,
  /** Orders that browsers have not answered yet, per workspace. */
  maxPendingOrders: 2_000,
  refreshTimeoutMs: 10_000,

  // Sandboxes
  maxCodeBytes: 524_288,
  /** The result of an eval with its logs, as JSON text in UTF-8. */
  maxResultBytes: 524_288,
  maxLogs: 200,
  evalTimeoutMs: 5_000,
  maxEvalTimeoutMs: 60_000,
  /** Evals that wait for a browser, per sandbox. */
  maxQueuedEvals: 100,
  /** Evals in all sandboxes of an owner that wait, or whose result is kept: at most a gigabyte of code and results. */
  maxEvalsPerOwner: 2_000,
  /** How long an eval waits for a browser. */
  queuedEvalLifeMs: 3_600_000,
  /** How long the result of a queued eval is kept. */
  evalResultLifeMs: 600_000,
  /** Code that ran is kept, per sandbox, to draw it again after a reload. Beyond these limits nothing of it is kept. */
  maxJournalEvals: 200,
  maxJournalBytes: 1_048_576,
  /** In all sandboxes of an owner; an eval counts as at least 1 KiB. */
  maxJournalBytesPerOwner: 33_554_432,
  /** After the last code that ran in the sandbox. */
  journalLifeMs: 30 * 86_400_000,
  /** How long a page may take to run all of it again. */
  replayWithinMs: 5_000,

  // Screenshots
  shotTimeoutMs: 15_000,
  defaultWaitForSharingS: 10,
  maxWaitForSharingS: 300,
  /** How long an unanswered request to share is shown after its call has ended. Longer than the `Retry-After` of that answer. */
  sharingLingersMs: 10_000,
  maxReasonLength: 300,
  maxShotBytes: 33_554_432,
  maxShotPixels: 67_108_864,
  defaultMaxDimension: 1_568,
  pngCompressionLevel: 9,
  /** Screenshots per project, and how many of them may have the same name. */
  maxScreenshots: 5_000,
  maxScreenshotsOfOneName: 1_000,

  // Files and log
  maxFileBytes: 16_777_216,
  /** Files that are being received, which are in memory, per process. */
  maxArrivingFileBytes: 268_435_456,
  maxArrivingFileBytesPerPerson: 67_108_864,
  maxTextFileBytes: 2_097_152,
  maxFilesListed: 5_000,
  /** All files of a project together. */
  maxProjectBytes: 2_147_483_648,
  /** Log lines that a workspace keeps. */
  maxLogEntries: 2_000,
  maxLogEntriesPerCall: 100,
  defaultLogEntriesListed: 200,
  maxLogMessageLength: 2_000,
  maxLogSearchLength: 200,
} as const;

/** The proxy behind web views, and the check whether a site can be framed. */
export const WEBVIEW_LIMITS = {
  /** How long GET waits for the browser before it answers from the stored state. */
  reportTimeoutMs: 2_000,
  maxFaultLength: 300,
  /** A pass in an address: enough for one redirect. */
  enterLifeMs: 60_000,
  /** A pass in a cookie, and every pass derived from it. */
  stayLifeMs: 8 * 3_600_000,
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 30_000,
  /** Longest pause within the body of an answer. */
  idleTimeoutMs: 120_000,
  /** The body of a request: longest pause, and longest time in total. */
  sendIdleMs: 30_000,
  sendWithinMs: 600_000,
  maxHeaderBytes: 65_536,
  maxRequestBytes: 67_108_864,
  maxAnswerBytes: 1_073_741_824,
  /** A page that is rewritten, decompressed. */
  maxPageBytes: 16_777_216,
  /** What pages hold back, because a tag, comment or run of text has not ended yet: the largest page of a person, two in all. */
  maxHeldCharactersPerPerson: 16_777_216,
  maxHeldCharacters: 33_554_432,
  maxRequestsPerSite: 64,
  /** A site may have any number of names. Fewer than the connections to one site, so that nobody has them all. */
  maxRequestsPerPerson: 120,
  maxRequests: 1_000,
  maxConnectionsPerOrigin: 128,
  maxSocketsPerSite: 32,
  maxSocketsPerPerson: 120,
  maxSockets: 1_000,
  socketIdleMs: 600_000,
  framingTimeoutMs: 4_000,
  maxFramingRedirects: 5,
  maxSiteIconBytes: 48_000,
  maxFramingChecksPerPerson: 8,
  maxFramingChecks: 64,
} as const;
export type WebviewLimits = { readonly [Name in keyof typeof WEBVIEW_LIMITS]: number };

/** 64 of the longest pieces of code. */
const MAX_PENDING_ORDER_BYTES = 64 * PANELS_LIMITS.maxCodeBytes;

/** The socket between the server and the pages that show a workspace. */
export const SOCKET_LIMITS = {
  /** A result with its logs, and the fields around it. */
  maxPayloadBytes: PANELS_LIMITS.maxResultBytes + 65_536,
  /** One order as JSON text in UTF-8: it must also fit into a message of the bus. */
  maxOrderBytes: 1_000_000,
  /** All orders that one browser has not answered yet. */
  maxPendingOrderBytes: MAX_PENDING_ORDER_BYTES,
  /** All pending orders, and a layout while the previous one is still being sent. */
  maxUnsentBytes: MAX_PENDING_ORDER_BYTES + 2 * PANELS_LIMITS.maxLayoutBytes,
  maxPerAddress: 200,
  /** A new connection shows its ticket within this time. */
  helloWithinMs: 10_000,
  /** Nesting of an answer's value: deeper values could not be serialised again. */
  maxAnswerDepth: 1_000,
  /** Messages per browser, not counting answers that are waited for. */
  messageBurst: 2 * PANELS_LIMITS.maxPendingOrders,
  messagesPerSecond: 200,
  maxDetailLength: 300,
} as const;
