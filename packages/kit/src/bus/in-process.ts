import type { Clock } from "../clock.ts";
import type { Bus, Claims, MessageHandler, Reply, RequestHandler } from "./bus.ts";
import { type Answer, answer, createChannelTable, deliver } from "./channels.ts";
import { BusFault, guarded, type OnFault } from "./fault.ts";
import { MAX_IN_PROCESS_CLAIMS, MAX_QUEUED_DELIVERIES } from "./limits.ts";
import {
  checkChannel,
  checkClaimValue,
  checkKey,
  checkTimeout,
  checkTtl,
  decodeMessage,
  encodeMessage,
} from "./message.ts";
import { createPendingRequests, realTimer, type SetTimer } from "./pending-requests.ts";

/** The bus of one process, for running without Redis. `now` is the clock by which claims end, in milliseconds. */
export function createInProcessBus(parameters: { now: Clock; onFault: OnFault; setTimer?: SetTimer }): Bus {
  const { now, setTimer = realTimer } = parameters;
  const onFault = guarded(parameters.onFault);
  const subscribers = createChannelTable<MessageHandler>();
  const responders = createChannelTable<RequestHandler>();
  const pending = createPendingRequests(setTimer);
  let closed = false;
  let queue: (() => void)[] = [];

  function checkOpen(): void {
    if (closed) throw new BusFault("closed", "the bus is closed");
  }

  function checkQueue(): void {
    if (queue.length >= MAX_QUEUED_DELIVERIES) {
      throw new BusFault("too-many", `${MAX_QUEUED_DELIVERIES} deliveries are queued already`);
    }
  }

  /**
   * Handlers run in a later turn of the event loop, as they do over a network. Taking the queue as a whole lets other
   * work in between even if handlers publish to each other without end.
   */
  function later(work: () => void): void {
    if (queue.push(work) === 1) setImmediate(drain);
  }

  function drain(): void {
    const works = queue;
    queue = [];
    for (const work of works) work();
  }

  return {
    engine: "in-process",
    claims: createInProcessClaims({ now, isClosed: () => closed }),

    async publish(channel, message) {
      checkOpen();
      checkChannel(channel);
      const text = encodeMessage(message);
      const entries = subscribers.entries(channel);
      if (entries.length === 0) return;
      checkQueue();
      later(() => deliver(entries, text, onFault));
    },

    async subscribe(channel, handler) {
      checkOpen();
      checkChannel(channel);
      const remove = subscribers.add(channel, handler);
      return async () => {
        remove();
      };
    },

    async request(channel, message, { timeoutMs }) {
      checkOpen();
      checkChannel(channel);
      checkTimeout(timeoutMs);
      const text = encodeMessage(message);
      const entries = responders.entries(channel);
      if (entries.length === 0) return { ok: false, reason: "no-responder" };
      checkQueue();
      const { id, reply } = pending.open(timeoutMs);
      later(() => {
        const askable = entries.filter((entry) => entry.active);
        if (askable.length === 0) pending.settle(id, { ok: false, reason: "no-responder" });
        for (const { handler } of askable) {
          void answer(handler, text, onFault).then((given) => pending.settle(id, toReply(given)));
        }
      });
      return reply();
    },

    async respond(channel, handler) {
      checkOpen();
      checkChannel(channel);
      const remove = responders.add(channel, handler);
      return async () => {
        remove();
      };
    },

    state: () => (closed ? "degraded" : "up"),
    // Within one process nothing can go away, so the state never changes.
    onStateChange: () => () => {},

    async ping() {
      checkOpen();
    },

    async close() {
      closed = true;
      subscribers.clear();
      responders.clear();
      pending.close();
    },
  };
}

function toReply(given: Answer): Reply {
  return given.ok ? { ok: true, value: decodeMessage(given.text) } : { ok: false, reason: "responder-failed" };
}

/** Each claim looks at two others, so that ended claims are removed faster than new ones come, without any timer. */
const SWEPT_PER_CLAIM = 2;

interface Held {
  value: string;
  endsAtMs: number;
}

/** Claims of one process, which end by the given clock. They are atomic because nothing awaits between check and change. */
export function createInProcessClaims(parameters: { now: Clock; isClosed: () => boolean; maxClaims?: number }): Claims {
  const { now, isClosed, maxClaims = MAX_IN_PROCESS_CLAIMS } = parameters;
  const held = new Map<string, Held>();
  // Kept between calls: a fresh iterator would walk over the holes of everything deleted before (twice as slow).
  let sweeper = held.entries();

  function sweep(nowMs: number): void {
    for (let looked = 0; looked < SWEPT_PER_CLAIM; looked += 1) {
      const { done, value: entry } = sweeper.next();
      if (done) {
        sweeper = held.entries();
        return;
      }
      if (entry[1].endsAtMs <= nowMs) held.delete(entry[0]);
    }
  }

  function live(key: string): Held | undefined {
    if (isClosed()) throw new BusFault("closed", "the bus is closed");
    checkKey(key);
    const found = held.get(key);
    if (found === undefined || found.endsAtMs > now()) return found;
    held.delete(key);
    return undefined;
  }

  return {
    async claim(key, value, ttlMs) {
      checkClaimValue(value);
      checkTtl(ttlMs);
      if (live(key) !== undefined) return false;
      const nowMs = now();
      sweep(nowMs);
      if (held.size >= maxClaims) {
        throw new BusFault("too-many", `this process holds ${maxClaims} claims already`);
      }
      held.set(key, { value, endsAtMs: nowMs + ttlMs });
      return true;
    },
    async take(key) {
      const found = live(key);
      if (found !== undefined) held.delete(key);
      return found?.value;
    },
    async release(key, value) {
      return live(key)?.value === value && held.delete(key);
    },
    async exchange(key, from, to, ttlMs) {
      checkClaimValue(to);
      checkTtl(ttlMs);
      const found = live(key);
      if (found?.value !== from) return false;
      found.value = to;
      found.endsAtMs = now() + ttlMs;
      return true;
    },
    async read(key) {
      return live(key)?.value;
    },
  };
}
