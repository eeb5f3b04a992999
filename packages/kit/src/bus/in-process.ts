import type { Clock } from "../clock.ts";
import type { Bus, MessageHandler, Reply, RequestHandler } from "./bus.ts";
import { createChannelTable } from "./channel-table.ts";
import { BusFault, guarded, type OnFault } from "./fault.ts";
import { type Answer, answer, deliver } from "./handlers.ts";
import { createInProcessClaims } from "./in-process-claims.ts";
import { MAX_QUEUED_DELIVERIES } from "./limits.ts";
import { checkChannel, checkTimeout, decodeMessage, encodeMessage } from "./message.ts";
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
    // Nothing can go away from within one process, so there is never a change to tell.
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
