import { type Bus, BusFault, type JsonValue } from "@backplane/kit/bus";
import type { Clock } from "@backplane/kit/clock";
import type { EventStream } from "@backplane/kit/sse";
import { createExpiryOrder } from "./expiry-order.ts";
import type { StatusRules } from "./status.ts";
import type { EndedIntent, IntentStore } from "./store.ts";

/** Told on it: hashes of intents that were decided. */
const CHANNEL = "intents-decided";
const EXPIRY_CHECK_MS = 250;
/** While the bus is away nobody is told by it: the table is asked this often. */
const ASK_EVERY_MS = 2_000;
/** And every eighth time also while it is up: an instance that was killed told nobody what it had just decided. */
const ASK_ANYWAY_EVERY = 8;
/** Intents of one query. */
const BATCH = 200;
/** Decisions that could not be told for want of a bus. */
const MAX_UNTOLD = 10_000;

/** One open stream. There are thousands: it holds what is needed to answer, and nothing of the request. */
export type Waiter = { readonly stream: EventStream; readonly token: string; readonly consumer: string };

type Waited = { readonly expiresAtMs: number; readonly waiters: Waiter[] };

export type Waiters = {
  /** How many wait for this intent here. */
  count(hash: string): number;
  /** Nothing that is decided from now on, or while this call was under way, is missed. */
  add(hash: string, expiresAtMs: number, waiter: Waiter): Promise<void>;
  remove(hash: string, waiter: Waiter): void;
  /** Says on every instance that an intent was decided. */
  announce(hash: string): void;
  /** Tells those whose time has come. A timer does so too. */
  expire(): Promise<void>;
  close(): Promise<void>;
};

/** Who waits at this instance, for what any instance decides. The table is what counts; messages only say when to look. */
export async function openWaiters({
  store,
  retrieve,
  bus,
  now,
  onDecided = () => {},
  onFault,
  askEveryMs = ASK_EVERY_MS,
}: {
  store: Pick<IntentStore, "endedAmong">;
  retrieve: StatusRules["retrieve"];
  bus: Bus;
  now: Clock;
  /** Any instance has decided this one. */
  onDecided?: (hash: string) => void;
  onFault: (error: unknown) => void;
  askEveryMs?: number;
}): Promise<Waiters> {
  const waited = new Map<string, Waited>();
  const order = createExpiryOrder();
  const untold = new Set<string>();
  let isAsking = false;
  let turn = 0;

  function take(hash: string): readonly Waiter[] {
    const found = waited.get(hash);
    if (!found) return [];
    waited.delete(hash);
    order.remove(hash, found.expiresAtMs);
    return found.waiters;
  }

  async function tell(intent: EndedIntent): Promise<void> {
    const hash = intent.token_hash;
    const waiters = take(hash);
    if (intent.state !== "authenticated") {
      for (const { stream } of waiters) sendTimeout(stream);
      return;
    }
    await Promise.all(
      waiters.map(async ({ stream, token, consumer }) => {
        try {
          const outcome = await retrieve(intent, { hash, token, consumer });
          if ("session_token" in outcome) {
            stream.send("authenticated", JSON.stringify({ session_token: outcome.session_token }));
          }
        } catch (error) {
          onFault(error);
        }
        // Without an event the program connects again, and is told by a status why it gets nothing.
        stream.end();
      }),
    );
  }

  /** Looks what became of these, and tells who waits. */
  async function look(hashes: readonly string[]): Promise<void> {
    for (let from = 0; from < hashes.length; from += BATCH) {
      const ended = await store.endedAmong(hashes.slice(from, from + BATCH), now());
      await Promise.all(ended.map(tell));
    }
  }

  async function lookAtAll(): Promise<void> {
    if (isAsking || waited.size === 0) return;
    isAsking = true;
    try {
      await look([...waited.keys()]);
    } catch (error) {
      onFault(error);
    } finally {
      isAsking = false;
    }
  }

  async function expire(): Promise<void> {
    const due = order.takeDue(now());
    if (due.length === 0) return;
    try {
      await look(due);
      // Not even in the table any more.
      for (const hash of due) for (const { stream } of take(hash)) sendTimeout(stream);
    } catch (error) {
      // The next look at all finds them.
      onFault(error);
    }
  }

  async function publish(hash: string): Promise<void> {
    try {
      await bus.publish(CHANNEL, hash);
    } catch (error) {
      // That the bus is away it says itself, once.
      if (!(error instanceof BusFault && error.code === "unavailable")) onFault(error);
      if (untold.size < MAX_UNTOLD) untold.add(hash);
      if (waited.has(hash)) await look([hash]).catch(onFault);
    }
  }

  const unsubscribe = await bus.subscribe(CHANNEL, (message: JsonValue) => {
    if (typeof message !== "string") return undefined;
    onDecided(message);
    return waited.has(message) ? look([message]) : undefined;
  });
  const unwatch = bus.onStateChange((state) => {
    if (state !== "up") return;
    const again = [...untold];
    untold.clear();
    for (const hash of again) void publish(hash);
    void lookAtAll();
  });
  const expiryTimer = setInterval(() => void expire(), EXPIRY_CHECK_MS).unref();
  const askTimer = setInterval(() => {
    turn += 1;
    if (bus.state() === "degraded" || turn % ASK_ANYWAY_EVERY === 0) void lookAtAll();
  }, askEveryMs).unref();

  return {
    count: (hash) => waited.get(hash)?.waiters.length ?? 0,

    async add(hash, expiresAtMs, waiter) {
      const found = waited.get(hash);
      if (found) found.waiters.push(waiter);
      else {
        waited.set(hash, { expiresAtMs, waiters: [waiter] });
        order.add(hash, expiresAtMs);
      }
      await look([hash]);
    },

    remove(hash, waiter) {
      const waiters = waited.get(hash)?.waiters;
      const at = waiters?.indexOf(waiter) ?? -1;
      if (waiters === undefined || at === -1) return;
      waiters.splice(at, 1);
      if (waiters.length === 0) take(hash);
    },

    announce(hash) {
      void publish(hash);
    },

    expire,

    async close() {
      clearInterval(expiryTimer);
      clearInterval(askTimer);
      unwatch();
      await unsubscribe();
    },
  };
}

function sendTimeout(stream: EventStream): void {
  stream.send("timeout", "");
  stream.end();
}
