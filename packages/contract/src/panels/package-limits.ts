// Without schemas: threads that only look into archives load this, and a schema library takes longer to load than their work.

/** Where an archive of type `plugin` has its panel. */
export const PANEL_FOLDER = "plugins/panel/";
export const PANEL_JSON = `${PANEL_FOLDER}panel.json`;

export const PANEL_PACKAGE_LIMITS = {
  // In the archive
  maxManifestBytes: 32_768,
  maxTitleLength: 60,
  maxDescriptionLength: 200,
  /** Kinds of capability, and patterns of files, per list. */
  maxWants: 32,
  maxTools: 16,
  /** The files of the panel, unpacked. */
  maxPanelBytes: 4 * 1024 * 1024,
  maxPanelFiles: 200,
  /** The whole archive, which is read into memory. */
  maxArchiveBytes: 16 * 1024 * 1024,

  // In a workspace
  maxPerWorkspace: 50,
  maxDraftsPerWorkspace: 10,
  /** That somebody chooses for one panel. */
  maxChosenDevices: 100,
  maxDraftBytes: 4 * 1024 * 1024,
  /** Drafts that are being sent: of one person, and of all. */
  maxArrivingBytesPerPerson: 16 * 1024 * 1024,
  maxArrivingBytes: 64 * 1024 * 1024,
  /** A draft, and what was allowed to it. */
  draftLifeMs: 86_400_000,
  /** The address of a frame. */
  passLifeMs: 86_400_000,
  maxOffered: 200,

  // Over the port
  messagesPerSecond: 200,
  /** More than this beyond the rate, in seconds that follow each other: the panel is stopped. */
  maxExcessMessages: 1_000,
  maxMessageLength: 1_048_576,
  heartbeatMs: 1_000,
  missedHeartbeats: 3,
  maxSubscriptions: 16,
  /** Calls that wait for an answer: each may be a request to the server. */
  maxPendingCalls: 16,
  toolTimeoutMs: 10_000,
  maxToolResultLength: 262_144,
  /** Code of programs; more waits for its turn. */
  evalsPerSecond: 50,
  /** Of code of programs, in one message of the port. */
  maxEvalMessages: 32,
} as const;
