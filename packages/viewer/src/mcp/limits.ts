/** Every limit of the MCP server that is not the viewer's own. */
export const MCP_LIMITS = {
  /** A message, with an image of `maxInlineImageBytes` in it as base64. */
  maxBodyBytes: 16 * 1024 * 1024,
  /** What is still 1 MB as base64: clients cut off, or refuse, results that are larger. */
  maxBlobBytes: 750_000,
  /** In the list of resources; older ones are read by their address. */
  maxListed: 50,
  /** Of the recognised text, in the words of a result; all of it is in the structured content and the resource. */
  maxSaidCharacters: 2_000,
  progressEveryMs: 5_000,
  /** From saved to named; then the call answers with the name of that moment. */
  namedWithinMs: 30_000,
  /** Calls that wait for a screenshot, of all clients together. */
  maxWaitingCalls: 100,
  maxSubscriptions: 100,
  /** Until the next try to watch for screenshots, when the viewer does not answer. */
  watchAgainMs: 5_000,
} as const;

/** What a server may be given instead, by name. */
export type McpLimits = { [Name in keyof typeof MCP_LIMITS]: number };
