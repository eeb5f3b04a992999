/** Limits of the MCP server. Those that callers of HTTP see, too, are in the contract. */
export const MCP_LIMITS = {
  /** A message, with room for an image of `maxInlineImageBytes` as base64. */
  maxBodyBytes: 16 * 1024 * 1024,
  /** 1 MB as base64: clients cut off or refuse larger results. */
  maxBlobBytes: 750_000,
  /** In the list of resources; older screenshots can still be read by their address. */
  maxListed: 50,
  /** Recognised text in the text of a result; the structured content and the resource have all of it. */
  maxSaidCharacters: 2_000,
  progressEveryMs: 5_000,
  /** How long a call waits for the name; after that it returns the first name. */
  namedWithinMs: 30_000,
  /** Calls that wait for a screenshot, over all clients. */
  maxWaitingCalls: 100,
  maxSubscriptions: 100,
  /** Pause before watching again, if the viewer does not answer. */
  watchAgainMs: 5_000,
} as const;

export type McpLimits = { [Name in keyof typeof MCP_LIMITS]: number };
