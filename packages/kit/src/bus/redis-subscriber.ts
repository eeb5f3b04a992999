import type { RedisClient, RedisConnection } from "./redis-connection.ts";

/** The channels this process wants to hear, kept in force across reconnects. */
export interface RedisSubscriber {
  /** Resolves when the channel is heard, or when the connection is away: it is then heard before it counts as up. */
  want(channel: string): Promise<void>;
  /** Resolves when the server knows, or when the connection is away. */
  unwant(channel: string): Promise<void>;
  /** Brings a fresh connection in line with what is wanted. */
  restore(client: RedisClient): Promise<void>;
}

export function createRedisSubscriber(
  connection: () => RedisConnection,
  onMessage: (channel: string, text: string) => void,
): RedisSubscriber {
  const wanted = new Set<string>();
  const listener = (text: string, channel: string) => {
    connection().heard();
    onMessage(channel, text);
  };

  return {
    async want(channel) {
      wanted.add(channel);
      try {
        // Sent for every subscriber of a channel and not just the first, since the first may still be waiting for it.
        await connection().run(async (client) => {
          if (client.isReady) await client.subscribe(channel, listener);
        });
      } catch (fault) {
        connection().drop(fault);
      }
    },

    async unwant(channel) {
      wanted.delete(channel);
      await connection()
        .run(async (client) => {
          if (client.isReady) await client.unsubscribe(channel, listener);
        })
        // Whatever could not be taken back is heard in vain until the next `restore`.
        .catch(() => {});
    },

    async restore(client) {
      // The client has renewed what it knew; changes made while it was away it has never heard of.
      const known = new Set(client.getPubSubListeners("CHANNELS").keys());
      const missing = [...wanted.difference(known)];
      const stale = [...known.difference(wanted)];
      if (missing.length > 0) await client.subscribe(missing, listener);
      if (stale.length > 0) await client.unsubscribe(stale, listener);
    },
  };
}
