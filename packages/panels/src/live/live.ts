import { randomBytes } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import { type ServerMessage, SOCKET_PATH } from "@backplane/contract/panels";
import { BusFault, type JsonValue } from "@backplane/kit/bus";
import { createListeners } from "@backplane/kit/concurrency";
import { addressReader, isThisMachine } from "@backplane/kit/http";
import { createSocketServer } from "@backplane/kit/websocket";
import type { Dependencies, Live, SharingEvent, Workspaces } from "../services.ts";
import type { Room } from "./browser.ts";
import { createShortLivedEntries } from "./entries.ts";
import { createGreeting } from "./greeting.ts";
import { type LiveLimits, limitsWith } from "./limits.ts";
import { createAsking, measureOrders } from "./orders.ts";
import { countEventStreams, createPresence } from "./presence.ts";
import { openRelay } from "./relay.ts";
import { createRooms, roomChannel } from "./room.ts";
import { createSharingRequests } from "./sharing.ts";
import { createSocketHandlers } from "./socket-handlers.ts";
import { createPanelTickets } from "./tickets.ts";

const INSTANCE_BYTES = 6;
const SAID_BY_THE_BUS: ReadonlySet<BusFault["code"]> = new Set(["closed", "unavailable"]);

export type OpenLive = Live & {
  /** Handles upgrades of the socket's path, except those for which `unless` is true. */
  attach(server: Server, options: { unless: (request: IncomingMessage) => boolean }): void;
  /** How many browsers are connected to this instance. */
  connected(): number;
  /** Closes all connections when their orders are carried out: pages connect again, to another instance or to this one's successor. */
  drain(): Promise<void>;
  close(): Promise<void>;
};

/** What the connection with browsers needs. */
export type LiveDependencies = Pick<Dependencies, "bus" | "now" | "metrics" | "followAccess" | "onFault"> & {
  settings: Pick<Dependencies["settings"], "framesUrl" | "trustProxy">;
};

export async function openLive(
  dependencies: LiveDependencies,
  workspaces: Pick<Workspaces, "watch" | "read" | "patchState">,
  overrides: Partial<LiveLimits> = {},
): Promise<OpenLive> {
  const { bus, now, metrics, settings } = dependencies;
  const limits = limitsWith(overrides);
  const instance = randomBytes(INSTANCE_BYTES).toString("base64url");
  // The bus itself reports, once, that it is down or closed.
  const onFault = (fault: unknown) => {
    if (!(fault instanceof BusFault && SAID_BY_THE_BUS.has(fault.code))) dependencies.onFault(fault);
  };
  const entries = createShortLivedEntries(bus, now, limits.maxBrowsers);
  const presence = createPresence(entries, limits);
  const rooms = createRooms({ instance, bus, presence, workspaces, onFault });
  const relay = await openRelay({ instance, bus, limits, onFault });
  let isDraining = false;
  const asking = createAsking({ instance, relay, rooms, presence, limits, now, isDraining: () => isDraining });
  const streams = countEventStreams(entries, { lifeMs: limits.presenceLifeMs, onFault });
  const tell = (workspaceId: string, message: ServerMessage) =>
    bus.publish(roomChannel(workspaceId), { kind: "tell", message } as unknown as JsonValue);
  const sharingRequests = createSharingRequests(entries, { now, tell });
  const sharing = createListeners<SharingEvent>(onFault);
  const mounted = createListeners<{ workspaceId: string; tabId: string; browserId: string }>(onFault);
  const greeting = createGreeting({
    ...{ bus, rooms, asking, workspaces, limits, now, onFault },
    tickets: createPanelTickets(bus.claims),
    followAccess: dependencies.followAccess,
    sharingRequestsOf: sharingRequests.list,
    framesUrl: settings.framesUrl,
  });
  const leaving = new Set<Promise<void>>();
  const sockets = createSocketServer(
    createSocketHandlers({
      greeting: { ...greeting, leave: (connection) => untilDone(greeting.leave(connection)) },
      ...{ limits, now, onFault, onSharing: sharing.emit, onMounted: mounted.emit },
    }),
    {
      limits: {
        ...{ maxPayloadBytes: limits.maxPayloadBytes, maxUnsentBytes: limits.maxUnsentBytes },
        ...{ maxPerAddress: limits.maxPerAddress, closeGraceMs: limits.closeGraceMs, sweepMs: limits.sweepMs },
      },
      addressOf: addressReader(settings.trustProxy),
      countsForAddress: (caller) => !isThisMachine(caller),
      now,
    },
  );
  const observeOrder = measureOrders(metrics);
  metrics.gauge("backplane_panels_browsers", "Browsers that have a workspace open here", sockets.connections);

  function untilDone(work: Promise<void>): Promise<void> {
    leaving.add(work);
    return work.finally(() => leaving.delete(work));
  }

  function beat(): void {
    for (const room of rooms.all()) room.beat().catch(onFault);
    streams.beat().catch(onFault);
  }
  const beats = setInterval(beat, limits.presenceBeatMs).unref();
  const stopListening = bus.onStateChange((state) => {
    if (state !== "up") return;
    streams.beat().catch(onFault);
    for (const room of rooms.all()) room.comeBack().catch(onFault);
  });

  /** Callers elsewhere wait for its browsers, which first finish what they were told to do here. */
  async function sendAway(room: Room): Promise<void> {
    if (bus.engine === "redis") await presence.announceMove(room.workspaceId).catch(onFault);
    for (const { data } of room.browsers.values()) data.isLeaving = true;
    await Promise.all(Array.from(room.browsers.values(), ({ data }) => data.orders.none(limits.ordersWithinMs)));
  }

  async function drain(): Promise<void> {
    isDraining = true;
    await Promise.all(Array.from(rooms.all(), sendAway));
    await sockets.close(undefined, "restarting: connect again");
    await Promise.allSettled(leaving);
  }

  return {
    async ask(workspaceId, order, options) {
      const startedAtMs = performance.now();
      const answered = await asking.ask(workspaceId, order, options);
      observeOrder(order.kind, answered, performance.now() - startedAtMs);
      return answered;
    },
    tell,
    browsers: presence.list,
    eventStreams: streams.eventStreams,
    countStream: streams.countStream,
    onSharing: sharing.add,
    onMounted: mounted.add,
    sharingRequests: { add: sharingRequests.add, remove: sharingRequests.remove },
    connected: sockets.connections,
    attach: (server, options) => sockets.attach(server, [SOCKET_PATH], options),
    drain,
    async close() {
      clearInterval(beats);
      stopListening();
      await drain();
      await relay.close().catch(onFault);
      await streams.close().catch(onFault);
    },
  };
}
