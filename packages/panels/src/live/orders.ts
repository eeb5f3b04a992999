import { setTimeout as sleep } from "node:timers/promises";
import type { Order } from "@backplane/contract/panels";
import type { Clock } from "@backplane/kit/clock";
import type { Metrics } from "@backplane/kit/metrics";
import { Problem } from "@backplane/kit/problems";
import type { Answered, Live, PresentBrowser } from "../services.ts";
import type { LiveLimits } from "./limits.ts";
import { BUSY, NO_BROWSER, UNREACHED } from "./pending-orders.ts";
import type { Presence } from "./presence.ts";
import { type Given, NOT_GIVEN, newOrderId, type Relay, type Relayed } from "./relay.ts";
import type { Rooms } from "./room.ts";
import { surfacesOf } from "./sharing.ts";

type AskOptions = Parameters<Live["ask"]>[2];

export type Asking = {
  ask: Live["ask"];
  /** Gives an order of another instance to a browser that is connected here. */
  giveRelayed(workspaceId: string, browserId: string, relayed: Relayed): Promise<Given>;
};

type GiveHere = (
  workspaceId: string,
  browserId: string,
  relayed: Relayed,
  signal?: AbortSignal,
) => Promise<Answered> | typeof NOT_GIVEN;

type AskingOptions = {
  instance: string;
  relay: Relay;
  rooms: Rooms;
  presence: Presence;
  limits: LiveLimits;
  now: Clock;
  /** Browsers do not come back to this instance. */
  isDraining: () => boolean;
};

export function createAsking(options: AskingOptions): Asking {
  const { instance, relay, rooms } = options;
  const giveHere = createGiveHere(options);
  const askOneByOne = createAskOneByOne(options, giveHere);
  let count = 0;

  return {
    async giveRelayed(workspaceId, browserId, relayed) {
      const isHere = rooms.find(workspaceId)?.browsers.has(browserId) === true;
      const timeoutMs = isHere ? await relay.take(relayed.id) : undefined;
      return timeoutMs === undefined ? NOT_GIVEN : giveHere(workspaceId, browserId, { ...relayed, timeoutMs });
    },
    async ask(workspaceId, order, options) {
      const { timeoutMs, signal } = options;
      if (signal?.aborted) return UNREACHED;
      count += 1;
      const relayed = { id: newOrderId(instance, count), order, timeoutMs };
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
  ({ rooms, limits, now }: AskingOptions): GiveHere =>
  (workspaceId, browserId, { id, order, timeoutMs }, signal) => {
    const room = rooms.find(workspaceId);
    const connection = room?.browsers.get(browserId);
    if (!room || !connection || connection.data.isLeaving) return NOT_GIVEN;
    const { orders } = connection.data;
    const text = orderText(id, order, Math.round(now() + timeoutMs), limits);
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

function orderText(id: string, order: Order, untilMs: number, { maxOrderBytes }: LiveLimits): string {
  const text = `{"type":"order","id":"${id}","untilMs":${untilMs},"order":${JSON.stringify(order)}}`;
  // UTF-8 takes at most three bytes per code unit: most texts need no counting.
  if (text.length * 3 <= maxOrderBytes || Buffer.byteLength(text) <= maxOrderBytes) return text;
  throw new Problem("payload-too-large", {
    detail: `An order to a browser has at most ${maxOrderBytes} bytes as JSON.`,
  });
}

/** Whether it shares what is needed, where that matters. */
const qualifies = ({ sharing }: PresentBrowser, { sharing: wanted }: AskOptions): boolean =>
  wanted === undefined || surfacesOf(sharing).includes(wanted);

/** A browser that turns out not to be there is forgotten, and the next one is asked. */
function createAskOneByOne(options: AskingOptions, giveHere: GiveHere) {
  const { rooms, presence, relay, limits, now, isDraining } = options;
  async function candidates(workspaceId: string, options: AskOptions, asked: ReadonlySet<string>) {
    const isWanted = (browser: PresentBrowser) => !asked.has(browser.browserId) && qualifies(browser, options);
    const known = rooms.find(workspaceId)?.present()?.filter(isWanted);
    return known && known.length > 0 ? known : (await presence.list(workspaceId)).filter(isWanted);
  }

  return async (workspaceId: string, relayed: Relayed, options: AskOptions): Promise<Answered> => {
    const { signal } = options;
    const startedAtMs = performance.now();
    const asked = new Set<string>();
    orderText(relayed.id, relayed.order, now(), limits);
    for (;;) {
      const [next] = await candidates(workspaceId, options, asked);
      const timeoutMs = relayed.timeoutMs - (performance.now() - startedAtMs);
      if (!next && !(await presence.isMoving(workspaceId))) return NO_BROWSER;
      if (timeoutMs <= 0 || signal?.aborted || (!next && isDraining())) return UNREACHED;
      if (!next) {
        await sleep(limits.movedCheckMs);
        continue;
      }
      const { browserId } = next;
      const own = { ...relayed, timeoutMs };
      let given: Given = await giveHere(workspaceId, browserId, own, signal);
      if (given === NOT_GIVEN) given = await relay.send(workspaceId, browserId, own, signal);
      if (given !== NOT_GIVEN) return given;
      asked.add(browserId);
      const room = rooms.find(workspaceId);
      await (room ? room.forget(browserId) : presence.leave(workspaceId, browserId));
    }
  };
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
