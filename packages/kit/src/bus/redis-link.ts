import type { BusState } from "./bus.ts";
import { BusFault, guarded, type OnFault } from "./fault.ts";
import { OPEN_WAIT_MS } from "./limits.ts";
import { openRedisConnection, type RedisClient, type RedisConnection } from "./redis-connection.ts";
import type { RedisScripts } from "./redis-script.ts";

export interface RedisCommands extends RedisScripts {
  /**
   * Sends something now or fails now: `BusFault` "unavailable" or "closed". Frequent commands go by `sendCommand`, since
   * the client's method for a command is two more async functions and a parser.
   */
  run<T>(command: (client: RedisClient) => Promise<T>): Promise<T>;
}

/** One connection for commands, one for subscriptions, and one state for both. */
export interface RedisLink {
  readonly commands: RedisCommands;
  want(channel: string): Promise<void>;
  unwant(channel: string): Promise<void>;
  onMessage(listener: (channel: string, text: string) => void): void;
  state(): BusState;
  onStateChange(listener: (state: BusState) => void): () => void;
  close(): Promise<void>;
}

/**
 * Connects to Redis. Resolves once connected, or as soon as that has failed for the first time: the link then begins
 * degraded and comes up by itself. Rejects only for an address that can never work.
 */
export async function openRedis(parameters: { url: string; prefix: string; onFault: OnFault }): Promise<RedisLink> {
  const { url, prefix } = parameters;
  const onFault = guarded(parameters.onFault);
  const listeners = new Set<(state: BusState) => void>();
  const opened = Promise.withResolvers<void>();
  const down = new Set(["commands", "subscriber"]);
  let state: BusState = "degraded";
  let outageReported = false;
  let closing: Promise<void> | undefined;
  let hear = (_channel: string, _text: string): void => {};

  function changeState(next: BusState): void {
    if (state === next) return;
    state = next;
    for (const listener of [...listeners]) listener(next);
  }

  function connect(name: string, restore: (client: RedisClient) => Promise<void>): RedisConnection {
    return openRedisConnection(url, {
      restore,
      onUp() {
        down.delete(name);
        if (down.size > 0) return;
        outageReported = false;
        changeState("up");
        opened.resolve();
      },
      onDown(fault) {
        down.add(name);
        changeState("degraded");
        opened.resolve();
        // Reported once per outage, not per attempt.
        if (!outageReported) onFault(fault);
        outageReported = true;
      },
    });
  }

  const subscriber = createRedisSubscriber(
    () => subscriberConnection,
    (channel, text) => hear(channel, text),
  );
  const commandConnection = connect("commands", async () => {});
  const subscriberConnection = connect("subscriber", subscriber.restore);

  const { run } = commandConnection;
  const commands: RedisCommands = {
    prefix,
    run,
    evaluate: (script, keys, values) =>
      run(async (client) => {
        const parameters = [String(keys.length), ...keys, ...values];
        try {
          return await client.sendCommand(["EVALSHA", script.sha1, ...parameters]);
        } catch (error) {
          // A server forgets its scripts when it restarts.
          if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
          return client.sendCommand(["EVAL", script.text, ...parameters]);
        }
      }),
  };

  const waited = setTimeout(opened.resolve, OPEN_WAIT_MS);
  await opened.promise;
  clearTimeout(waited);

  return {
    commands,
    want: subscriber.want,
    unwant: subscriber.unwant,
    onMessage(listener) {
      hear = listener;
    },
    state: () => state,
    onStateChange(listener) {
      const own = (next: BusState) => {
        try {
          listener(next);
        } catch (cause) {
          onFault(new BusFault("handler-failed", "a listener for the bus's state failed", { cause }));
        }
      };
      listeners.add(own);
      return () => listeners.delete(own);
    },
    close() {
      listeners.clear();
      state = "degraded";
      closing ??= subscriber
        .unsubscribeAll()
        .then(() => Promise.all([subscriberConnection.close(), commandConnection.close()]))
        .then(() => {});
      return closing;
    },
  };
}

/** The channels this process listens to, kept across reconnects. */
export interface RedisSubscriber {
  /** Resolves when the channel is subscribed, or when the connection is down: it is then subscribed before it counts as up. */
  want(channel: string): Promise<void>;
  /** Resolves when the server has confirmed it, or when the connection is down. */
  unwant(channel: string): Promise<void>;
  /** After it nobody can mistake this process for a responder, even before the server notices that the connection is gone. */
  unsubscribeAll(): Promise<void>;
  /** Brings a fresh connection in line with what is wanted. */
  restore(client: RedisClient): Promise<void>;
}

function createRedisSubscriber(
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
        // A channel that could not be unsubscribed is ignored until the next `restore`.
        .catch(() => {});
    },

    async unsubscribeAll() {
      wanted.clear();
      await connection()
        .run(async (client) => {
          if (client.isReady) await client.unsubscribe();
        })
        .catch(() => {});
    },

    async restore(client) {
      // The client has renewed the subscriptions it knew; it does not know of changes that were made while it was away.
      const known = new Set(client.getPubSubListeners("CHANNELS").keys());
      const missing = [...wanted.difference(known)];
      const stale = [...known.difference(wanted)];
      if (missing.length > 0) await client.subscribe(missing, listener);
      if (stale.length > 0) await client.unsubscribe(stale, listener);
    },
  };
}
