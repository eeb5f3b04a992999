import { randomUUID } from "node:crypto";
import type { Bus, MessageHandler, RequestHandler, Unsubscribe } from "./bus.ts";
import { type Answer, answer, type ChannelTable, createChannelTable, deliver } from "./channels.ts";
import { BusFault, guarded, type OnFault } from "./fault.ts";
import { checkChannel, checkTimeout, decodeMessage, encodeMessage } from "./message.ts";
import { createPendingRequests, type PendingRequests, realTimer } from "./pending-requests.ts";
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
  const wire = { message: `${prefix}message:`, request: `${prefix}request:`, reply: `${prefix}reply:` };
  const instance = randomUUID();
  const subscribers = createChannelTable<MessageHandler>();
  const responders = createChannelTable<RequestHandler>();
  const pending = createPendingRequests(realTimer);
  let closed = false;

  const publish = (wireChannel: string, text: string): Promise<number> =>
    run((client) => client.sendCommand<number>(["PUBLISH", wireChannel, text]));

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

  link.onMessage(
    createReceiver({ wire, subscribers, responders, pending, publish, onFault: guarded(parameters.onFault) }),
  );
  link.onStateChange((state) => {
    // Replies that are published from now on are not heard; waiting any longer would not help the callers.
    if (state === "degraded") pending.abandon();
  });
  await link.want(wire.reply + instance);

  return {
    engine: "redis",
    claims: createRedisClaims(link.commands),

    async publish(channel, message) {
      checkOpen();
      checkChannel(channel);
      const text = encodeMessage(message);
      await publish(wire.message + channel, text);
    },

    subscribe: (channel, handler) => listen(subscribers, wire.message, channel, handler),

    async request(channel, message, { timeoutMs }) {
      checkOpen();
      checkChannel(channel);
      checkTimeout(timeoutMs);
      const text = encodeMessage(message);
      if (link.state() === "degraded") return { ok: false, reason: "unavailable" };
      const { id, reply } = pending.open(timeoutMs);
      try {
        const heardBy = await publish(wire.request + channel, `${instance} ${id}\n${text}`);
        if (heardBy === 0) pending.settle(id, { ok: false, reason: "no-responder" });
      } catch {
        pending.settle(id, { ok: false, reason: "unavailable" });
      }
      return reply();
    },

    respond: (channel, handler) => listen(responders, wire.request, channel, handler),

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

type Receiver = {
  wire: { message: string; request: string; reply: string };
  subscribers: ChannelTable<MessageHandler>;
  responders: ChannelTable<RequestHandler>;
  pending: PendingRequests;
  publish: (wireChannel: string, text: string) => Promise<number>;
  onFault: OnFault;
};

/** Handles what arrives. Another instance wrote it, perhaps of another version: nothing in it may throw. */
function createReceiver({ wire, subscribers, responders, pending, publish, onFault }: Receiver) {
  function receiveRequest(channel: string, text: string): void {
    const { first: requester, second: id, rest } = parseWire(text);
    for (const { handler } of responders.entries(channel)) {
      answer(handler, rest, onFault)
        .then((given) => publish(wire.reply + requester, replyWire(id, given)))
        // The requester gets no reply and gives up after its own time-out.
        .catch((fault: BusFault) => fault.code === "closed" || onFault(fault));
    }
  }

  function receiveReply(text: string): void {
    const { first: id, second: outcome, rest } = parseWire(text);
    try {
      pending.settle(
        id,
        outcome === "ok" ? { ok: true, value: decodeMessage(rest) } : { ok: false, reason: "responder-failed" },
      );
    } catch {
      onFault(new BusFault("invalid", "a reply that is not JSON was ignored"));
    }
  }

  return (wireChannel: string, text: string): void => {
    if (wireChannel.startsWith(wire.message)) {
      deliver(subscribers.entries(wireChannel.slice(wire.message.length)), text, onFault);
    } else if (wireChannel.startsWith(wire.request)) {
      receiveRequest(wireChannel.slice(wire.request.length), text);
    } else {
      receiveReply(text);
    }
  };
}

function replyWire(id: string, given: Answer): string {
  return given.ok ? `${id} ok\n${given.text}` : `${id} failed\n`;
}

function parseWire(text: string): { first: string; second: string; rest: string } {
  const headEnd = text.indexOf("\n");
  const [first = "", second = ""] = text.slice(0, headEnd).split(" ");
  return { first, second, rest: text.slice(headEnd + 1) };
}
