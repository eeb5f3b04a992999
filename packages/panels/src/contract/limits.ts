/** Every limit of the area. */
export const PANELS_LIMITS = {
  maxTabs: 200,
  maxDepth: 32,
  /** A tab's `panelState`, as JSON text in UTF-8. */
  maxStateBytes: 32_768,
  maxStateDepth: 100,
  maxNameLength: 120,
  maxUrlLength: 4_096,
  maxCodeBytes: 524_288,
  /** The result of a piece of code, with its logs, as JSON text in UTF-8. */
  maxResultBytes: 524_288,
  maxLogs: 200,
  evalTimeoutMs: 5_000,
  maxEvalTimeoutMs: 60_000,
  /** Per sandbox: code that waits for a browser. */
  maxQueuedEvals: 100,
  /** How long code waits for a browser, and a result for whoever picks it up. */
  queuedEvalLifeMs: 3_600_000,
  evalResultLifeMs: 600_000,
  /** Per workspace: what browsers were asked and have not answered. */
  maxPendingOrders: 2_000,
  refreshTimeoutMs: 10_000,
  shotTimeoutMs: 15_000,
  defaultWaitForSharingS: 10,
  maxWaitForSharingS: 300,
  maxReasonLength: 300,
  maxShotBytes: 33_554_432,
  maxShotPixels: 67_108_864,
  defaultMaxDimension: 1_568,
  pngCompressionLevel: 9,
  minRatio: 0.05,
  maxUndo: 50,
  /** The whole layout with what its tabs hold, as JSON text in UTF-8. */
  maxLayoutBytes: 1_048_576,
  /** Per workspace and instance: changes that wait for their turn. */
  maxWaitingEdits: 2_000,
  /** Browsers and event streams of one workspace. */
  maxBrowsers: 50,
  presenceLifeMs: 25_000,
  presenceBeatMs: 8_000,
  ticketLifeMs: 30_000,
  /** A browser shows anew that its user is still signed in. */
  leaseMs: 150_000,
  /** Event streams end after this; their reader connects anew, and shows who it is. */
  eventStreamLifeMs: 900_000,
  /** How often it is asked whether whoever reads a stream still may. */
  eventStreamCheckMs: 60_000,
  maxWorkspacesPerOwner: 1_000,
  maxWorkspacesListed: 200,
  maxLogEntries: 2_000,
  maxLogMessageLength: 2_000,
  maxFileBytes: 16_777_216,
  maxTextFileBytes: 2_097_152,
  maxFilesListed: 5_000,
  /** All files of a project together, for one that grows. */
  maxProjectBytes: 2_147_483_648,
} as const;
