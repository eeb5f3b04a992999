import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import { DEVICES_LIMITS, DEVICES_SOCKET_PATH } from "@backplane/contract/devices";
import { PANELS_LIMITS, SOCKET_LIMITS } from "@backplane/contract/panels";
import { createAllowance } from "@backplane/kit/allowance";
import type { FollowAccess } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import { addressReader, isThisMachine } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { Tickets } from "@backplane/kit/tickets";
import { createSocketServer, type SocketHandlers } from "@backplane/kit/websocket";
import type { Replays } from "../recordings/replays.ts";
import type { OpenHub } from "./hub.ts";
import { type Grant, openSession, type Page, type PageConnection, say } from "./page.ts";
import { readPageMessage } from "./page-messages.ts";

const CLOSE_POLICY = 1008;
const CLOSE_TRY_AGAIN = 1013;
/** Held controls are pressed every 100 ms, for several devices at a time. */
const MESSAGES_PER_SECOND = 200;
const MESSAGE_BURST = 400;
const SWEEP_MS = 5_000;
const CLOSE_GRACE_MS = 1_000;
const PASSING: ReadonlySet<string> = new Set(["not-ready", "bus-unavailable", "database-unavailable"]);

export type DeviceSockets = {
  attach(server: Server, options: { unless: (request: IncomingMessage) => boolean }): void;
  connected(): number;
  /** Ends the pages of a workspace: it was removed, or its devices are not held as before and pages connect again. */
  endOf(workspaceId: string, why: "removed" | "moved"): void;
  /** Closes all sockets: what their pages hold is let go of, and what moves stops. */
  close(): Promise<void>;
};

export type SocketOptions = {
  tickets: Tickets<Grant>;
  followAccess: FollowAccess;
  openHub(workspaceId: string): Promise<OpenHub | undefined>;
  replays: Replays;
  trustProxy: string[];
  now: Clock;
  onFault: (error: unknown) => void;
  limits?: { sweepMs?: number; leaseMs?: number; helloWithinMs?: number };
};

const usedUp = () =>
  new Problem("not-signed-in", { detail: "This ticket was used or has expired. Ask for another one." });
const accessEnded = () =>
  new Problem("not-signed-in", { detail: "You were signed out, or lost access to this workspace. Sign in again." });

/** The socket of pages that show devices: values flow out, control comes in. */
export function openDeviceSockets(options: SocketOptions): DeviceSockets {
  const { now, trustProxy, limits = {} } = options;
  const pages = new Set<PageConnection>();
  const leaving = new Set<Promise<void>>();
  const greeting = createGreeting(options);

  function leave(connection: PageConnection): void {
    pages.delete(connection);
    const left = greeting.leave(connection).catch(options.onFault);
    leaving.add(left);
    void left.finally(() => leaving.delete(left));
  }

  const sockets = createSocketServer(createHandlers(options, greeting, pages, leave), {
    limits: {
      ...{ maxPayloadBytes: DEVICES_LIMITS.maxMessageBytes, maxUnsentBytes: DEVICES_LIMITS.closeAboveBytes },
      ...{ maxPerAddress: SOCKET_LIMITS.maxPerAddress, closeGraceMs: CLOSE_GRACE_MS },
      sweepMs: limits.sweepMs ?? SWEEP_MS,
    },
    addressOf: addressReader(trustProxy),
    countsForAddress: (caller) => !isThisMachine(caller),
    now,
  });

  return {
    attach: (server, { unless }) => sockets.attach(server, [DEVICES_SOCKET_PATH], { unless }),
    connected: sockets.connections,
    endOf(workspaceId, why) {
      for (const page of pages) {
        if (page.data.grant?.workspaceId !== workspaceId) continue;
        if (why === "removed") say(page, { type: "refused", code: "not-found", detail: "The workspace was removed." });
        page.close(why === "removed" ? CLOSE_POLICY : CLOSE_TRY_AGAIN, why);
      }
    },
    async close() {
      await sockets.close(undefined, "restarting: connect again");
      await Promise.allSettled(leaving);
    },
  };
}

type Greeting = {
  hello(connection: PageConnection, ticket: string): Promise<void>;
  renew(connection: PageConnection, ticket: string): Promise<void>;
  leave(connection: PageConnection): Promise<void>;
};

const isGone = ({ data }: PageConnection) => data.stage === "gone";

function createGreeting({
  tickets,
  followAccess,
  openHub,
  replays,
  now,
  onFault,
  limits = {},
}: SocketOptions): Greeting {
  const leaseMs = limits.leaseMs ?? PANELS_LIMITS.leaseMs;

  async function follow(connection: PageConnection, grant: Grant): Promise<void> {
    const { data: page } = connection;
    const stop = await followAccess(grant.access, () => refuse(connection, accessEnded(), onFault));
    if (!stop) throw accessEnded();
    page.stopFollowing();
    page.stopFollowing = stop;
    page.grant = grant;
    page.leaseEndsAtMs = now() + leaseMs;
    if (isGone(connection)) stop();
  }

  return {
    async hello(connection, ticket) {
      const { data: page } = connection;
      page.stage = "entering";
      const grant = await tickets.take(ticket);
      if (!grant) throw usedUp();
      await follow(connection, grant);
      const hub = isGone(connection) ? undefined : await openHub(grant.workspaceId);
      if (isGone(connection)) return;
      if (!hub) throw new Problem("workspace-unknown");
      const session = await openSession(connection, grant, { hub, replays, now, onFault });
      if (isGone(connection)) return session.close();
      page.session = session;
      page.stage = "here";
    },
    async renew(connection, ticket) {
      const grant = await tickets.take(ticket);
      const held = connection.data.grant;
      if (isGone(connection)) return;
      const isOwn = grant?.workspaceId === held?.workspaceId && grant?.access.userId === held?.access.userId;
      if (!grant || !isOwn) throw usedUp();
      await follow(connection, grant);
      say(connection, { type: "renewed", nowMs: now() });
    },
    async leave({ data: page }) {
      page.stage = "gone";
      page.stopFollowing();
      await page.session?.close();
    },
  };
}

function refuse(connection: PageConnection, fault: unknown, onFault: (error: unknown) => void): void {
  const problem = fault instanceof Problem ? fault : new Problem("not-ready", { cause: fault });
  say(connection, { type: "refused", code: problem.code, detail: problem.detail ?? problem.title });
  connection.close(PASSING.has(problem.code) ? CLOSE_TRY_AGAIN : CLOSE_POLICY, problem.code);
  if (PASSING.has(problem.code)) onFault(fault);
}

function createHandlers(
  { now, onFault, limits = {} }: SocketOptions,
  greeting: Greeting,
  pages: Set<PageConnection>,
  leave: (connection: PageConnection) => void,
): SocketHandlers<Page> {
  return {
    // The origin is not checked: only a ticket opens anything here, and pages of other sites have none.
    accept: () => ({
      ...{ tab: randomUUID(), stage: "silent", grant: undefined, stopFollowing: () => {}, session: undefined },
      leaseEndsAtMs: now() + (limits.helloWithinMs ?? SOCKET_LIMITS.helloWithinMs),
      allowance: createAllowance({ burst: MESSAGE_BURST, perSecond: MESSAGES_PER_SECOND }),
    }),
    onMessage(connection, text) {
      const { data: page } = connection;
      const message = readPageMessage(text);
      if (!page.allowance.take()) connection.close(CLOSE_POLICY, "too many messages");
      else if (!message) {
        say(connection, { type: "refused", code: "malformed-request", detail: "This is not a valid message." });
        if (page.stage === "silent") connection.close(CLOSE_POLICY, "hello comes first");
      } else if (message.type === "hello" && page.stage === "silent") {
        pages.add(connection);
        greeting.hello(connection, message.ticket).catch((fault) => refuse(connection, fault, onFault));
      } else if (!page.session || message.type === "hello") {
        connection.close(CLOSE_POLICY, "hello comes once, and first");
      } else if (message.type === "renew") {
        greeting.renew(connection, message.ticket).catch((fault) => refuse(connection, fault, onFault));
      } else page.session.follow(message);
    },
    onSweep(connection, nowMs) {
      if (nowMs < connection.data.leaseEndsAtMs) return;
      refuse(connection, new Problem("not-signed-in", { detail: "No ticket was shown in time." }), onFault);
    },
    onClose: leave,
    onFault,
  };
}
