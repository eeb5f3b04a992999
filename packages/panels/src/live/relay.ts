import type { Order } from "@backplane/contract/panels";
import { type Bus, BusFault, type JsonValue, type Reply, type Unsubscribe } from "@backplane/kit/bus";
import { Problem } from "@backplane/kit/problems";
import type { Answered } from "../services.ts";
import type { LiveLimits } from "./limits.ts";
import { BUSY, UNKNOWN, UNREACHED } from "./pending-orders.ts";
import { roomChannel } from "./room.ts";

/** An order on its way to the instance that has the browser. */
export type Relayed = { id: string; order: Order; timeoutMs: number };
/** The browser never got the order, so another one may be asked. */
export const NOT_GIVEN = "not-given";
export type Given = Answered | typeof NOT_GIVEN;

export const browserChannel = (browserId: string): string => `panels:browser:${browserId}`;
const offersChannel = (instance: string): string => `panels:offers:${instance}`;

export const newOrderId = (instance: string, count: number): string => `${instance}.${count.toString(36)}`;
const instanceOf = (orderId: string): string => orderId.slice(0, orderId.indexOf("."));

/** An order that was sent to another instance. */
type Offer = { untilMs: number; isTaken: boolean };

/**
 * Orders between instances. A message may be late by any time: a process was stopped, a network was cut. So what is sent
 * is an offer. The instance that has the browser asks back before it gives the order, and is told how much time is left,
 * or that the caller was answered. By the same question the instance of the caller knows whether a browser may have got it.
 */
export type Relay = {
  send(workspaceId: string, browserId: string, relayed: Relayed, signal?: AbortSignal): Promise<Given>;
  /** How much longer the sender waits, in ms. Undefined: it does not, and the order must not be given. */
  take(orderId: string): Promise<number | undefined>;
  close: Unsubscribe;
};

type RelayOptions = {
  instance: string;
  bus: Pick<Bus, "request" | "respond" | "publish">;
  limits: Pick<LiveLimits, "relaySlackMs" | "takeWithinMs">;
  onFault: (error: unknown) => void;
};

export async function openRelay({ instance, bus, limits, onFault }: RelayOptions): Promise<Relay> {
  const offers = new Map<string, Offer>();

  const close = await bus.respond(offersChannel(instance), (orderId) => {
    const offer = offers.get(orderId as string);
    const leftMs = offer ? offer.untilMs - performance.now() : 0;
    if (!offer || leftMs <= 0) return null;
    offer.isTaken = true;
    return leftMs;
  });

  return {
    async send(workspaceId, browserId, relayed, signal) {
      const offer: Offer = { untilMs: performance.now() + relayed.timeoutMs, isTaken: false };
      const withdrawn = Promise.withResolvers<"withdrawn">();
      const onAbort = () => {
        const message = { kind: "withdraw", browserId, id: relayed.id };
        bus.publish(roomChannel(workspaceId), message).catch(onFault);
        withdrawn.resolve("withdrawn");
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      offers.set(relayed.id, offer);
      try {
        const request = bus.request(browserChannel(browserId), relayed as unknown as JsonValue, {
          timeoutMs: Math.ceil(relayed.timeoutMs) + limits.relaySlackMs,
        });
        return toGiven(await Promise.race([request, withdrawn.promise]), offer);
      } catch (fault) {
        if (offer.isTaken) return UNKNOWN;
        if (fault instanceof BusFault && fault.code === "too-many") return BUSY;
        throw fault;
      } finally {
        offers.delete(relayed.id);
        signal?.removeEventListener("abort", onAbort);
      }
    },
    async take(orderId) {
      const askedAtMs = performance.now();
      const reply = await bus.request(offersChannel(instanceOf(orderId)), orderId, { timeoutMs: limits.takeWithinMs });
      if (!reply.ok || typeof reply.value !== "number") return undefined;
      // This process may have been stopped while it waited for the reply.
      const leftMs = reply.value - (performance.now() - askedAtMs);
      return leftMs > 0 ? leftMs : undefined;
    },
    close,
  };
}

function toGiven(reply: Reply | "withdrawn", { isTaken }: Offer): Given {
  if (reply !== "withdrawn" && reply.ok) return reply.value as unknown as Given;
  if (isTaken) return UNKNOWN;
  if (reply === "withdrawn") return UNREACHED;
  if (reply.reason === "no-responder") return NOT_GIVEN;
  if (reply.reason === "unavailable") throw new Problem("bus-unavailable");
  return UNREACHED;
}
