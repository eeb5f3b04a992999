import { randomUUID } from "node:crypto";
import type { Bus, MessageHandler, RequestHandler, Unsubscribe } from "./bus.ts";
import { type ChannelTable, createChannelTable } from "./channel-table.ts";
import { BusFault, guarded, type OnFault } from "./fault.ts";
import { type Answer, answer, deliver } from "./handlers.ts";
import { checkChannel, checkTimeout, decodeMessage, encodeMessage } from "./message.ts";
import { createPendingRequests, realTimer } from "./pending-requests.ts";
import { createRedisClaims } from "./redis-claims.ts";
import type { RedisLink } from "./redis-link.ts";

/**
 * The bus of all instances that share a Redis. On the wire, after the prefix:
 * - `message:<channel>` carries a message's JSON text.
 * - `request:<channel>` carries `<instance> <request id>`, a line end, and the request's JSON text.
 * - `reply:<instance>` carries `<request id> ok` or `<request id> failed`, a line end, and the reply's JSON text.
 *
 * Closing it closes the link.
 */
export async function createRedisBus(parameters: { link: RedisLink; onFault: OnFault }): Promise<Bus> {
  const { link } = parameters;
  const { prefix, run } = link.commands;
  const onFault = guarded(parameters.onFault);
  const subscribers = createChannelTable<MessageHandler>();
  const responders = createChannelTable<RequestHandler>();
  const pending = createPendingRequests(realTimer);
  const instance = randomUUID();
  const messagePrefix = `${prefix}message:`;
  const requestPrefix = `${prefix}request:`;
  const replyPrefix = `${prefix}reply:`;
  let closed = false;

  function checkOpen(): void {
    if (closed) throw new BusFault("closed", "the bus is closed");
  }

  async function listen<Handler>(
    table: ChannelTable<Handler>,
    wirePrefix: string,
    channel: string,
    handler: Handler,
  ): Promise<Unsubscribe> {
    checkOpen();
    checkChannel(channel);
    const remove = table.add(channel, handler);
    await link.want(wirePrefix + channel);
    checkOpen();
    return async () => {
      if (remove()) await link.unwant(wirePrefix + channel);
    };
  }

  /** What arrives was written by some instance, perhaps of another version: nothing in it may throw. */
  function hear(wireChannel: string, text: string): void {
    if (wireChannel.startsWith(messagePrefix)) {
      deliver(subscribers.entries(wireChannel.slice(messagePrefix.length)), text, onFault);
    } else if (wireChannel.startsWith(requestPrefix)) {
      hearRequest(wireChannel.slice(requestPrefix.length), text);
    } else {
      hearReply(text);
    }
  }

  function hearRequest(channel: string, wire: string): void {
    const { first: requester, second: id, text } = parseWire(wire);
    for (const { handler } of responders.entries(channel)) {
      answer(handler, text, onFault)
        .then((given) => run((client) => client.publish(replyPrefix + requester, replyWire(id, given))))
        // The requester hears nothing and gives up by its own time-out.
        .catch((fault: BusFault) => fault.code === "closed" || onFault(fault));
    }
  }

  function hearReply(wire: string): void {
    const { first: id, second: outcome, text } = parseWire(wire);
    try {
      pending.settle(
        id,
        outcome === "ok" ? { ok: true, value: decodeMessage(text) } : { ok: false, reason: "responder-failed" },
      );
    } catch {
      onFault(new BusFault("invalid", "a reply that is not JSON was ignored"));
    }
  }

  link.onMessage(hear);
  link.onStateChange((state) => {
    // Replies published from now on are not heard; waiting out the time would tell the callers no more.
    if (state === "degraded") pending.abandon();
  });
  await link.want(replyPrefix + instance);

  return {
    engine: "redis",
    claims: createRedisClaims(link.commands),

    async publish(channel, message) {
      checkOpen();
      checkChannel(channel);
      const text = encodeMessage(message);
      await run((client) => client.publish(messagePrefix + channel, text));
    },

    subscribe: (channel, handler) => listen(subscribers, messagePrefix, channel, handler),

    async request(channel, message, { timeoutMs }) {
      checkOpen();
      checkChannel(channel);
      checkTimeout(timeoutMs);
      const text = encodeMessage(message);
      if (link.state() === "degraded") return { ok: false, reason: "unavailable" };
      const { id, reply } = pending.open(timeoutMs);
      try {
        const heardBy = await run((client) => client.publish(requestPrefix + channel, `${instance} ${id}\n${text}`));
        if (heardBy === 0) pending.settle(id, { ok: false, reason: "no-responder" });
      } catch {
        pending.settle(id, { ok: false, reason: "unavailable" });
      }
      return reply();
    },

    respond: (channel, handler) => listen(responders, requestPrefix, channel, handler),

    state: link.state,
    onStateChange: link.onStateChange,

    async ping() {
      checkOpen();
      await run((client) => client.ping());
    },

    async close() {
      closed = true;
      subscribers.clear();
      responders.clear();
      pending.close();
      await link.close();
    },
  };
}

function replyWire(id: string, given: Answer): string {
  return given.ok ? `${id} ok\n${given.text}` : `${id} failed\n`;
}

function parseWire(wire: string): { first: string; second: string; text: string } {
  const headEnd = wire.indexOf("\n");
  const [first = "", second = ""] = wire.slice(0, headEnd).split(" ");
  return { first, second, text: wire.slice(headEnd + 1) };
}
