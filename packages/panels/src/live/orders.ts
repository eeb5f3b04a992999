import type { Order } from "@backplane/contract/panels";
import { type Bus, BusFault, type JsonValue } from "@backplane/kit/bus";
import type { Metrics } from "@backplane/kit/metrics";
import { Problem } from "@backplane/kit/problems";
import type { Answered, Live, PresentBrowser } from "../services.ts";
import type { LiveLimits } from "./limits.ts";
import { BUSY, NO_BROWSER, TIMED_OUT } from "./pending-orders.ts";
import type { Presence } from "./presence.ts";
import { type Rooms, roomChannel } from "./room.ts";
import { surfacesOf } from "./sharing.ts";

/** An order on its way to the instance that has the browser. */
export type Relayed = { id: string; order: Order; timeoutMs: number };
/** The browser never got the order, so another one may be asked. */
export const NOT_GIVEN = "not-given";
export type Given = Answered | typeof NOT_GIVEN;

export const browserChannel = (browserId: string): string => `panels:browser:${browserId}`;

type AskOptions = Parameters<Live["ask"]>[2];

export type Asking = {
  ask: Live["ask"];
  /** Gives an order to a browser that is connected here. */
  giveHere: GiveHere;
};

type GiveHere = (
  workspaceId: string,
  browserId: string,
  relayed: Relayed,
  signal?: AbortSignal,
) => Promise<Answered> | typeof NOT_GIVEN;

type Relay = (workspaceId: string, browserId: string, relayed: Relayed, signal?: AbortSignal) => Promise<Given>;

type AskingOptions = {
  instance: string;
  bus: Pick<Bus, "request" | "publish">;
  rooms: Rooms;
  presence: Presence;
  limits: LiveLimits;
  onFault: (error: unknown) => void;
};

export function createAsking(options: AskingOptions): Asking {
  const { instance, rooms, limits } = options;
  const giveHere = createGiveHere(rooms, limits);
  const askOneByOne = createAskOneByOne(options, giveHere, createRelay(options));
  let count = 0;

  return {
    giveHere,
    async ask(workspaceId, order, options) {
      const { timeoutMs, signal } = options;
      if (signal?.aborted) return TIMED_OUT;
      count += 1;
      const relayed = { id: `${instance}.${count.toString(36)}`, order, timeoutMs };
      const first = rooms
        .find(workspaceId)
        ?.present()
        ?.find((browser) => qualifies(browser, options));
      const given = first ? giveHere(workspaceId, first.browserId, relayed, signal) : NOT_GIVEN;
      return given === NOT_GIVEN ? askOneByOne(workspaceId, relayed, options) : given;
    },
  };
}

const createGiveHere =
  (rooms: Rooms, limits: LiveLimits): GiveHere =>
  (workspaceId, browserId, { id, order, timeoutMs }, signal) => {
    const room = rooms.find(workspaceId);
    const connection = room?.browsers.get(browserId);
    if (!room || !connection) return NOT_GIVEN;
    const { orders } = connection.data;
    const text = orderText(id, order, limits);
    const isFull =
      room.pendingOrders >= limits.maxPendingOrders || orders.bytes() + text.length > limits.maxPendingOrderBytes;
    if (isFull) return Promise.resolve(BUSY);
    if (!connection.send(text)) return NOT_GIVEN;
    room.pendingOrders += 1;
    return orders.wait(id, {
      bytes: text.length,
      timeoutMs,
      signal,
      onOver(wasAnswered) {
        room.pendingOrders -= 1;
        if (!wasAnswered) connection.send(`{"type":"withdrawn","id":"${id}"}`);
      },
    });
  };

function orderText(id: string, order: Order, { maxOrderBytes }: LiveLimits): string {
  const text = `{"type":"order","id":"${id}","order":${JSON.stringify(order)}}`;
  // UTF-8 takes at most three bytes per code unit: most texts need no counting.
  if (text.length * 3 <= maxOrderBytes || Buffer.byteLength(text) <= maxOrderBytes) return text;
  throw new Problem("payload-too-large", {
    detail: `An order to a browser has at most ${maxOrderBytes} bytes as JSON.`,
  });
}

/** Through the bus, to the instance that has the browser. */
const createRelay =
  ({ bus, limits, onFault }: AskingOptions): Relay =>
  async (workspaceId, browserId, relayed, signal) => {
    const withdrawn = Promise.withResolvers<Answered>();
    const onAbort = () => {
      const message = { kind: "withdraw", browserId, id: relayed.id };
      bus.publish(roomChannel(workspaceId), message).catch(onFault);
      withdrawn.resolve(TIMED_OUT);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      const request = bus.request(browserChannel(browserId), relayed as unknown as JsonValue, {
        timeoutMs: Math.ceil(relayed.timeoutMs) + limits.relaySlackMs,
      });
      return await Promise.race([request.then(toGiven), withdrawn.promise]);
    } catch (fault) {
      if (fault instanceof BusFault && fault.code === "too-many") return BUSY;
      throw fault;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  };

/** Whether it shares what is needed, where that matters. */
const qualifies = ({ sharing }: PresentBrowser, { sharing: wanted }: AskOptions): boolean =>
  wanted === undefined || surfacesOf(sharing).includes(wanted);

/** A browser that turns out not to be there is forgotten, and the next one is asked. */
function createAskOneByOne({ rooms, presence, limits }: AskingOptions, giveHere: GiveHere, relay: Relay) {
  async function candidates(workspaceId: string, options: AskOptions, asked: ReadonlySet<string>) {
    const isWanted = (browser: PresentBrowser) => !asked.has(browser.browserId) && qualifies(browser, options);
    const known = rooms.find(workspaceId)?.present()?.filter(isWanted);
    return known && known.length > 0 ? known : (await presence.list(workspaceId)).filter(isWanted);
  }

  return async (workspaceId: string, relayed: Relayed, options: AskOptions): Promise<Answered> => {
    const { signal } = options;
    const startedAtMs = performance.now();
    const asked = new Set<string>();
    orderText(relayed.id, relayed.order, limits);
    for (;;) {
      const [next] = await candidates(workspaceId, options, asked);
      if (!next) return NO_BROWSER;
      const timeoutMs = relayed.timeoutMs - (performance.now() - startedAtMs);
      if (timeoutMs <= 0 || signal?.aborted) return TIMED_OUT;
      const { browserId } = next;
      const own = { ...relayed, timeoutMs };
      let given: Given = await giveHere(workspaceId, browserId, own, signal);
      if (given === NOT_GIVEN) given = await relay(workspaceId, browserId, own, signal);
      if (given !== NOT_GIVEN) return given;
      asked.add(browserId);
      const room = rooms.find(workspaceId);
      await (room ? room.forget(browserId) : presence.leave(workspaceId, browserId));
    }
  };
}

type Reply = Awaited<ReturnType<Bus["request"]>>;

function toGiven(reply: Reply): Given {
  if (reply.ok) return reply.value as unknown as Given;
  if (reply.reason === "no-responder") return NOT_GIVEN;
  // The browser may have got it: no other one may be asked.
  if (reply.reason === "unavailable") throw new Problem("bus-unavailable");
  return TIMED_OUT;
}

export type ObserveOrder = (kind: Order["kind"], answered: Answered, ms: number) => void;

/** How many orders browsers were given, how they ended, and how long that took. */
export function measureOrders(metrics: Pick<Metrics, "gauges">): ObserveOrder {
  const outcomes = new Map<string, number>();
  const seconds = new Map<string, number>();
  const add = (map: Map<string, number>, key: string, more: number) => map.set(key, (map.get(key) ?? 0) + more);
  metrics.gauges("backplane_panels_orders", "Orders given to browsers, by outcome", "outcome", () => outcomes);
  metrics.gauges(
    "backplane_panels_order_seconds",
    "Total time that browsers took, by kind of order",
    "kind",
    () => seconds,
  );
  return (kind, answered, ms) => {
    add(outcomes, answered.ok ? "answered" : answered.reason, 1);
    add(seconds, kind, ms / 1_000);
  };
}
