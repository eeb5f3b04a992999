import { createHash } from "node:crypto";

/** What code outside the bus may do over its command connection: one atomic step at a time. */
export interface RedisScripts {
  /** Put before every key and channel, so that several installations can share a server. */
  readonly prefix: string;
  /**
   * Runs a script by its digest; the server is sent the text only when it does not have it.
   * Fails at once when the server is away: `BusFault` "unavailable" or "closed".
   */
  evaluate(script: RedisScript, keys: readonly string[], values: readonly string[]): Promise<unknown>;
}

export interface RedisScript {
  readonly text: string;
  readonly sha1: string;
}

export function defineRedisScript(text: string): RedisScript {
  return { text, sha1: createHash("sha1").update(text).digest("hex") };
}
