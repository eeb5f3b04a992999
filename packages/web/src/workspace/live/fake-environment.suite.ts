import { setImmediate as turn } from "node:timers/promises";
import type { BrowserMessage, ServerMessage, Ticket } from "@backplane/contract/panels";
import type { Answer, Fault } from "../../calls/call.ts";
import type { Environment, SocketEvents } from "./environment.ts";

/** The server's end of a connection. */
export class TestSocket<Incoming, Outgoing> {
  readonly sent: Outgoing[] = [];
  isClosed = false;
  readonly events: SocketEvents;

  constructor(events: SocketEvents) {
    this.events = events;
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    this.isClosed = true;
  }

  say(message: Incoming): void {
    this.events.onMessage(JSON.parse(JSON.stringify(message)));
  }
}

export const WELCOME: Extract<ServerMessage, { type: "welcome" }> = {
  type: "welcome",
  browserId: "browser",
  isPrimary: true,
  layout: { revision: 5, root: { type: "leaf", id: "leaf", tabs: [], activeTabId: null } },
  framesUrl: "http://*.localhost:8790",
  sharingRequests: [],
  nowMs: 1_000_000,
};

export const faultOf = (status: number, more: Partial<Fault> = {}): Answer<Ticket> => ({
  ok: false,
  fault: { status, code: "code", title: "Title", detail: undefined, errors: [], retryAfterS: undefined, ...more },
});

/** A browser and server whose time passes only when the test says so. */
export function createFakeEnvironment<Incoming = ServerMessage, Outgoing = BrowserMessage>(
  welcome: Incoming = WELCOME as Incoming,
) {
  const sockets: TestSocket<Incoming, Outgoing>[] = [];
  const timers = new Map<() => void, number>();
  const wakes = new Set<() => void>();
  let tickets = 0;
  const world = {
    /** This browser's clock. */
    nowMs: 0,
    sockets,
    timers,
    wakes,
    ticket: (): Answer<Ticket> => {
      tickets += 1;
      return { ok: true, value: { ticket: `ticket-${tickets}`, socketPath: "/socket" }, serverTimeMs: undefined };
    },
    last(): TestSocket<Incoming, Outgoing> {
      const socket = sockets.at(-1);
      if (!socket) throw new Error("nothing was opened");
      return socket;
    },
    /** Opens the last socket and welcomes its page. */
    async welcome(more: Partial<Incoming> = {}) {
      await turn();
      world.last().events.onOpen();
      world.last().say({ ...welcome, ...more });
    },
    /** Fires the timer of this length. */
    async pass(delayMs: number) {
      const [fire] = [...timers].find(([, ms]) => ms === delayMs) ?? [];
      if (!fire) throw new Error(`no timer of ${delayMs} ms, but ${[...timers.values()].join()}`);
      timers.delete(fire);
      fire();
      await turn();
    },
    async wake() {
      for (const listener of [...wakes]) listener();
      await turn();
    },
  };
  const environment: Environment = {
    getTicket: async () => world.ticket(),
    openSocket(_path, events) {
      const socket = new TestSocket<Incoming, Outgoing>(events);
      sockets.push(socket);
      return socket;
    },
    setTimer(callback, delayMs) {
      // The same function may be set twice.
      const own = () => callback();
      timers.set(own, delayMs);
      return () => timers.delete(own);
    },
    now: () => world.nowMs,
    random: () => 1,
    onWake(listener) {
      wakes.add(listener);
      return () => wakes.delete(listener);
    },
    onFault(error) {
      throw error;
    },
  };
  return { world, environment };
}
