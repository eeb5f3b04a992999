import { randomUUID } from "node:crypto";
import type { BrowserMessage } from "@backplane/contract/panels";
import { createAllowance } from "@backplane/kit/allowance";
import type { Clock } from "@backplane/kit/clock";
import type { SocketHandlers } from "@backplane/kit/websocket";
import type { SharingEvent } from "../services.ts";
import { type Browser, type BrowserConnection, CLOSE_POLICY, CLOSE_TRY_AGAIN, say } from "./browser.ts";
import { readBrowserMessage } from "./browser-messages.ts";
import { type Greeting, refusalOf } from "./greeting.ts";
import type { LiveLimits } from "./limits.ts";
import { createPendingOrders } from "./pending-orders.ts";
import { NOT_SHARING } from "./presence.ts";

/** Failures that may be over when the page tries again. */
const PASSING: ReadonlySet<string> = new Set(["not-ready", "bus-unavailable", "database-unavailable"]);

type Said<Type extends BrowserMessage["type"]> = Extract<BrowserMessage, { type: Type }>;

/** The server's end of each page's connection. A page can only act on its own workspace. */
export function createSocketHandlers(parameters: {
  greeting: Greeting;
  limits: LiveLimits;
  now: Clock;
  onSharing: (event: SharingEvent) => void;
  onMounted: (event: { workspaceId: string; tabId: string; browserId: string }) => void;
  onFault: (error: unknown) => void;
}): SocketHandlers<Browser> {
  const { greeting, limits, now, onSharing, onMounted, onFault } = parameters;

  function refuse(connection: BrowserConnection, fault: unknown): void {
    const refusal = refusalOf(fault);
    say(connection, { type: "error", ...refusal });
    connection.close(PASSING.has(refusal.code) ? CLOSE_TRY_AGAIN : CLOSE_POLICY, refusal.code);
    if (PASSING.has(refusal.code)) onFault(fault);
  }

  function share(connection: BrowserConnection, { sharing }: Said<"sharing">): void {
    const { data: browser } = connection;
    const { room, browserId } = browser;
    if (!room) return;
    browser.sharing = sharing;
    // Announce it only after it is stored: others may look for a browser that shares at once.
    room
      .admit(connection)
      .then(() => onSharing({ workspaceId: room.workspaceId, browserId, sharing }))
      .catch(onFault);
  }

  function follow(connection: BrowserConnection, message: BrowserMessage): void {
    const { data: browser } = connection;
    const { room, browserId } = browser;
    const workspaceId = room?.workspaceId;
    if (message.type === "hello" && browser.stage === "silent") {
      greeting.hello(connection, message.ticket).catch((fault) => refuse(connection, fault));
    } else if (workspaceId === undefined || message.type === "hello") {
      connection.close(CLOSE_POLICY, "hello comes once, and first");
    } else if (message.type === "renew") {
      greeting.renew(connection, message.ticket).catch((fault) => refuse(connection, fault));
    } else if (message.type === "mounted") {
      onMounted({ workspaceId, tabId: message.tabId, browserId });
    } else if (message.type === "report") {
      const { type: _, tabId, ...shown } = message;
      browser.reports?.note(tabId, shown);
    } else if (message.type === "sharing") {
      share(connection, message);
    } else if (message.type === "sharing-declined") {
      onSharing({ workspaceId, browserId, declined: message.id });
    }
  }

  return {
    // The origin is not checked: only a ticket opens anything here, and pages of other sites have none.
    accept: () => ({
      browserId: randomUUID(),
      stage: "silent",
      ...{ grant: undefined, room: undefined, reports: undefined, stopFollowing: () => {} },
      ...{ since: 0, sharing: NOT_SHARING, isPrimary: false, isLeaving: false },
      leaseEndsAtMs: now() + limits.helloWithinMs,
      orders: createPendingOrders(),
      allowance: createAllowance({ burst: limits.messageBurst, perSecond: limits.messagesPerSecond }),
    }),
    onMessage(connection, text) {
      const { data: browser } = connection;
      const message = readBrowserMessage(text);
      if (message?.type === "answer" && browser.orders.answer(message)) return;
      if (!browser.allowance.take()) connection.close(CLOSE_POLICY, "too many messages");
      else if (!message) {
        say(connection, { type: "error", code: "malformed-request", detail: "This is not a valid message." });
        if (browser.stage === "silent") connection.close(CLOSE_POLICY, "hello comes first");
      } else if (message.type !== "answer") follow(connection, message);
    },
    onRefused(connection, why) {
      const { allowance, stage } = connection.data;
      const detail = why === "binary" ? "Send text." : `A message has at most ${limits.maxPayloadBytes} bytes.`;
      say(connection, { type: "error", code: why === "binary" ? "malformed-request" : "payload-too-large", detail });
      if (stage !== "here" || !allowance.take()) connection.close(CLOSE_POLICY, "refused");
    },
    onSweep(connection, nowMs) {
      if (nowMs < connection.data.leaseEndsAtMs) return;
      say(connection, { type: "error", code: "not-signed-in", detail: "No ticket was shown in time." });
      connection.close(CLOSE_POLICY, "no ticket in time");
    },
    onClose(connection) {
      greeting.leave(connection).catch(onFault);
    },
    onFault,
  };
}
