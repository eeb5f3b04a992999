import type { Layout, SharingRequest } from "@backplane/contract/panels";
import type { Bus, JsonValue, Unsubscribe } from "@backplane/kit/bus";
import type { FollowAccess } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import { Problem, type ProblemCode } from "@backplane/kit/problems";
import type { Workspaces } from "../services.ts";
import { type BrowserConnection, CLOSE_POLICY, type Room, say } from "./browser.ts";
import type { LiveLimits } from "./limits.ts";
import type { Asking } from "./orders.ts";
import { browserChannel, type Given, NOT_GIVEN, type Relayed } from "./relay.ts";
import { createReports } from "./reports.ts";
import type { Rooms } from "./room.ts";
import type { Grant, PanelTickets } from "./tickets.ts";

export type Greeting = {
  /** The first message of a page: with a valid ticket it enters the workspace. */
  hello(connection: BrowserConnection, ticket: string): Promise<void>;
  /** Another ticket of the same person for the same workspace prolongs the lease. */
  renew(connection: BrowserConnection, ticket: string): Promise<void>;
  /** The connection has ended. */
  leave(connection: BrowserConnection): Promise<void>;
};

const usedUp = () =>
  new Problem("not-signed-in", { detail: "This ticket was used or has expired. Ask for another one." });
const accessEnded = () =>
  new Problem("not-signed-in", { detail: "You were signed out, or lost access to this workspace. Sign in again." });

type GreetingOptions = {
  bus: Pick<Bus, "respond">;
  rooms: Rooms;
  tickets: PanelTickets;
  followAccess: FollowAccess;
  asking: Asking;
  workspaces: Pick<Workspaces, "patchState">;
  sharingRequestsOf: (workspaceId: string) => Promise<SharingRequest[]>;
  framesUrl: string;
  limits: LiveLimits;
  now: Clock;
  onFault: (error: unknown) => void;
};

const isHere = ({ data }: BrowserConnection) => data.stage === "here";
const isGone = ({ data }: BrowserConnection) => data.stage === "gone";

/** Orders that reach this instance before the page was welcomed wait until it is. */
function takeOrders(
  { bus, asking }: Pick<GreetingOptions, "bus" | "asking">,
  connection: BrowserConnection,
  room: Room,
  entered: Promise<void>,
): Promise<Unsubscribe> {
  const { browserId } = connection.data;
  return bus.respond(browserChannel(browserId), async (message: JsonValue): Promise<Given> => {
    await entered;
    const relayed = message as unknown as Relayed;
    return isGone(connection) ? NOT_GIVEN : asking.giveRelayed(room.workspaceId, browserId, relayed);
  });
}

/** Begins a lease, or prolongs it: it ends after its time, or with the access. */
async function lease(
  { followAccess, limits, now }: Pick<GreetingOptions, "followAccess" | "limits" | "now">,
  connection: BrowserConnection,
  grant: Grant,
): Promise<void> {
  const { data: browser } = connection;
  const stop = await followAccess(grant.access, () => {
    say(connection, { type: "error", ...refusalOf(accessEnded()) });
    connection.close(CLOSE_POLICY, "access ended");
  });
  if (!stop) throw accessEnded();
  browser.stopFollowing();
  browser.stopFollowing = stop;
  browser.grant = grant;
  browser.leaseEndsAtMs = now() + limits.leaseMs;
  if (isGone(connection)) stop();
}

/** From here on the browser counts, and hears of changes. */
function welcome(
  { workspaces, framesUrl, limits, now, onFault }: GreetingOptions,
  connection: BrowserConnection,
  room: Room,
  content: { layout: Layout; sharingRequests: SharingRequest[] },
): void {
  const { data: browser } = connection;
  const { workspaceId } = room;
  browser.room = room;
  browser.reports = createReports({
    ...{ workspaceId, workspaces, onFault, layout: room.layout, everyMs: limits.reportEveryMs },
  });
  browser.isPrimary = room.present()?.[0]?.browserId === browser.browserId;
  browser.stage = "here";
  room.browsers.set(browser.browserId, connection);
  const { browserId, isPrimary } = browser;
  const newest = { ...content, layout: room.layout() ?? content.layout };
  say(connection, { type: "welcome", browserId, isPrimary, ...newest, framesUrl, nowMs: now() });
}

export function createGreeting(parameters: GreetingOptions): Greeting {
  const { bus, rooms, tickets, asking, sharingRequestsOf, limits, now } = parameters;
  const cleanUps = new Map<BrowserConnection, () => Promise<void>>();

  /** In this order nothing is missed: subscribe to changes, then read, and only then let others ask. */
  async function enter(connection: BrowserConnection, { workspaceId }: Grant): Promise<void> {
    const { data: browser } = connection;
    const room = rooms.take(workspaceId);
    const entered = Promise.withResolvers<void>();
    let unsubscribe: Unsubscribe | undefined;
    cleanUps.set(connection, async () => {
      entered.resolve();
      room.browsers.delete(browser.browserId);
      browser.reports?.close();
      browser.orders.abandon();
      try {
        await unsubscribe?.();
        await room.forget(browser.browserId);
      } finally {
        await rooms.giveBack(room);
      }
    });
    await room.ready;
    const [layout, sharingRequests] = await Promise.all([room.readLayout(), sharingRequestsOf(workspaceId)]);
    if (!layout) throw new Problem("workspace-not-yours");
    if (isGone(connection)) return;
    unsubscribe = await takeOrders({ bus, asking }, connection, room, entered.promise);
    const hasPlace = !isGone(connection) && (await room.admit(connection));
    if (isGone(connection)) return;
    if (!hasPlace) {
      throw new Problem("too-many-of-these", {
        detail: `A workspace is open in at most ${limits.maxBrowsers} browsers at a time. Close one of them.`,
      });
    }
    welcome(parameters, connection, room, { layout, sharingRequests });
    entered.resolve();
  }

  async function cleanUp(connection: BrowserConnection): Promise<void> {
    const cleanUpOne = cleanUps.get(connection);
    cleanUps.delete(connection);
    await cleanUpOne?.();
  }

  return {
    async hello(connection, ticket) {
      const { data: browser } = connection;
      browser.stage = "entering";
      const grant = await tickets.take(ticket);
      if (isGone(connection)) return;
      if (!grant) throw usedUp();
      browser.since = now();
      await lease(parameters, connection, grant);
      if (isGone(connection)) return;
      try {
        await enter(connection, grant);
      } finally {
        // Refused, or gone meanwhile: release what was taken on the way in.
        if (!isHere(connection)) await cleanUp(connection);
      }
    },
    async renew(connection, ticket) {
      const grant = await tickets.take(ticket);
      const { data: browser } = connection;
      if (isGone(connection)) return;
      const [given, held] = [grant?.access, browser.grant?.access];
      const isOwn = grant?.workspaceId === browser.grant?.workspaceId && given?.userId === held?.userId;
      if (!grant || !isOwn) throw usedUp();
      await lease(parameters, connection, grant);
      say(connection, { type: "renewed", nowMs: now() });
    },
    async leave(connection) {
      const wasHere = isHere(connection);
      connection.data.stage = "gone";
      connection.data.stopFollowing();
      if (wasHere) await cleanUp(connection);
    },
  };
}

/** A refusal as it is sent over the socket. */
export function refusalOf(fault: unknown): { code: ProblemCode; detail: string } {
  if (fault instanceof Problem) return { code: fault.code, detail: fault.detail ?? fault.title };
  const unavailable = new Problem("not-ready");
  return { code: unavailable.code, detail: unavailable.title };
}
