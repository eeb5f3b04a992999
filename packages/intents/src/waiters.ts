import { type Bus, BusFault, type JsonValue } from "@backplane/kit/bus";
import type { Clock } from "@backplane/kit/clock";
import type { EventStream } from "@backplane/kit/sse";
import type { StatusRules } from "./status.ts";
import type { EndedIntent, IntentStore } from "./store.ts";
import { createWaitingList, type Waiter } from "./waiting-list.ts";

/** Carries the hashes of intents that were decided. */
const CHANNEL = "intents-decided";
const EXPIRY_CHECK_MS = 250;
/** How often the table is read while the bus is down. */
const READ_EVERY_MS = 2_000;
/** Every eighth time it is read although the bus is up: an instance may be killed before it announces a decision. */
const READ_ANYWAY_EVERY = 8;
/** Intents per query. */
const BATCH = 200;
/** Decisions that could not be announced because the bus was down. */
const MAX_UNANNOUNCED = 10_000;

export type Waiters = {
  /** How many streams of this instance wait for this intent. */
  count(hash: string): number;
  /** Misses no decision, not even one that is made during this call. */
  add(hash: string, expiresAtMs: number, waiter: Waiter): Promise<void>;
  remove(hash: string, waiter: Waiter): void;
  /** Tells all instances that an intent was decided. */
  announce(hash: string): void;
  /** Ends the streams of expired intents. A timer calls it too. */
  expire(): Promise<void>;
  close(): Promise<void>;
};

export type WaitersOptions = {
  store: Pick<IntentStore, "endedAmong">;
  retrieve: StatusRules["retrieve"];
  bus: Bus;
  now: Clock;
  /** Some instance has decided this intent. */
  onDecided?: (hash: string) => void;
  onFault: (error: unknown) => void;
  readEveryMs?: number;
};

/** Streams that wait here for a decision of any instance. The table has the truth; messages only say when to read it. */
export async function openWaiters(options: WaitersOptions): Promise<Waiters> {
  const { store, retrieve, bus, now, onDecided = () => {}, onFault, readEveryMs = READ_EVERY_MS } = options;
  const list = createWaitingList();
  let isReading = false;
  let turn = 0;

  /** Reads the state of these intents, and answers the streams of those that have ended. */
  async function read(hashes: readonly string[]): Promise<void> {
    for (let from = 0; from < hashes.length; from += BATCH) {
      const ended = await store.endedAmong(hashes.slice(from, from + BATCH), now());
      await Promise.all(ended.map((intent) => answer(intent, list.take(intent.token_hash), { retrieve, onFault })));
    }
  }

  async function readAll(): Promise<void> {
    const hashes = list.hashes();
    if (isReading || hashes.length === 0) return;
    isReading = true;
    try {
      await read(hashes);
    } catch (error) {
      onFault(error);
    } finally {
      isReading = false;
    }
  }

  async function expire(): Promise<void> {
    const due = list.takeDue(now());
    if (due.length === 0) return;
    try {
      await read(due);
      // Streams that are left wait for intents that are no longer in the table.
      for (const hash of due) for (const { stream } of list.take(hash)) sendTimeout(stream);
    } catch (error) {
      // The next `readAll` finds them.
      onFault(error);
    }
  }

  const announcements = createAnnouncements(bus, onFault, async (hash) => {
    if (list.has(hash)) await read([hash]);
  });
  const unsubscribe = await bus.subscribe(CHANNEL, (message: JsonValue) => {
    if (typeof message !== "string") return undefined;
    onDecided(message);
    return list.has(message) ? read([message]) : undefined;
  });
  const unwatch = bus.onStateChange((state) => {
    if (state !== "up") return;
    announcements.retry();
    void readAll();
  });
  const expiryTimer = setInterval(() => void expire(), EXPIRY_CHECK_MS).unref();
  const readTimer = setInterval(() => {
    turn += 1;
    if (bus.state() === "degraded" || turn % READ_ANYWAY_EVERY === 0) void readAll();
  }, readEveryMs).unref();

  return {
    count: list.count,
    async add(hash, expiresAtMs, waiter) {
      list.add(hash, expiresAtMs, waiter);
      await read([hash]);
    },
    remove: list.remove,
    announce: announcements.send,
    expire,
    async close() {
      clearInterval(expiryTimer);
      clearInterval(readTimer);
      unwatch();
      await unsubscribe();
    },
  };
}

/** Announces decisions on the bus. Those that fail are sent again when the bus is back, and handled here at once. */
function createAnnouncements(bus: Bus, onFault: (error: unknown) => void, handleHere: (hash: string) => Promise<void>) {
  const unannounced = new Set<string>();

  async function publish(hash: string): Promise<void> {
    try {
      await bus.publish(CHANNEL, hash);
    } catch (error) {
      // The bus reports by itself that it is down.
      if (!(error instanceof BusFault && error.code === "unavailable")) onFault(error);
      if (unannounced.size < MAX_UNANNOUNCED) unannounced.add(hash);
      await handleHere(hash).catch(onFault);
    }
  }

  return {
    send: (hash: string): void => void publish(hash),
    retry(): void {
      const hashes = [...unannounced];
      unannounced.clear();
      for (const hash of hashes) void publish(hash);
    },
  };
}

/** Sends each stream its last event. */
async function answer(
  intent: EndedIntent,
  waiters: readonly Waiter[],
  { retrieve, onFault }: Pick<WaitersOptions, "retrieve" | "onFault">,
): Promise<void> {
  if (intent.state !== "authenticated") {
    for (const { stream } of waiters) sendTimeout(stream);
    return;
  }
  await Promise.all(
    waiters.map(async ({ stream, token, consumer }) => {
      try {
        const outcome = await retrieve(intent, { hash: intent.token_hash, token, consumer });
        if ("session_token" in outcome) sendToken(stream, outcome.session_token);
      } catch (error) {
        onFault(error);
      }
      // Without an event the program connects again, and gets the reason as the status of that request.
      stream.end();
    }),
  );
}

/** The id of the event with the token: an EventSource that connects again by itself sends it, and is told to stop. */
export const TOKEN_GIVEN = "authenticated";

export const sendToken = (stream: EventStream, token: string): void =>
  stream.send("authenticated", JSON.stringify({ session_token: token }), TOKEN_GIVEN);

function sendTimeout(stream: EventStream): void {
  stream.send("timeout", "");
  stream.end();
}
