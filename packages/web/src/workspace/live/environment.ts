import type { Ticket } from "@backplane/contract/panels";
import { type Answer, call } from "../../calls/call.ts";

export type Socket = { send(text: string): void; close(): void };
export type SocketEvents = { onOpen(): void; onMessage(message: object): void; onClose(): void };

/** Calls back once after a delay. Returns a function that cancels it. */
export type SetTimer = (callback: () => void, delayMs: number) => () => void;

/** What the connection needs from the browser; tests have their own. */
export type Environment = {
  getTicket(): Promise<Answer<Ticket>>;
  openSocket(path: string, events: SocketEvents): Socket;
  setTimer: SetTimer;
  /** Calls back when what has arrived by now is taken. */
  nextTurn(callback: () => void): void;
  /** Epoch ms. */
  now(): number;
  random(): number;
  /** Calls back when the page becomes visible or the browser is online again. */
  onWake(listener: () => void): () => void;
  onFault(error: unknown): void;
};

export function browserEnvironment(ticketPath: string): Environment {
  return {
    getTicket: () => call<Ticket>({ method: "POST", path: ticketPath }),
    openSocket(socketPath, events) {
      const socket = new WebSocket(socketUrl(socketPath));
      socket.onopen = () => events.onOpen();
      socket.onmessage = ({ data }) => {
        const read = JSON.parse(String(data)) as object | object[];
        if (!Array.isArray(read)) events.onMessage(read);
        else for (const message of read) events.onMessage(message);
      };
      socket.onclose = () => events.onClose();
      return socket;
    },
    setTimer: browserTimer,
    nextTurn: createNextTurn(),
    now: Date.now,
    random: Math.random,
    onWake(listener) {
      const onVisible = () => {
        if (document.visibilityState === "visible") listener();
      };
      document.addEventListener("visibilitychange", onVisible);
      addEventListener("online", listener);
      return () => {
        document.removeEventListener("visibilitychange", onVisible);
        removeEventListener("online", listener);
      };
    },
    onFault: (error) => reportError(error),
  };
}

/** Not a timer: those wait for at least a millisecond, and much longer in pages that are not seen. */
function createNextTurn(): Environment["nextTurn"] {
  const { port1, port2 } = new MessageChannel();
  const waiting: (() => void)[] = [];
  port1.onmessage = () => waiting.shift()?.();
  return (callback) => {
    waiting.push(callback);
    port2.postMessage(null);
  };
}

/** Of a path of this site. */
export const socketUrl = (path: string): string => `${location.origin.replace(/^http/, "ws")}${path}`;

export const browserTimer: SetTimer = (callback, delayMs) => {
  const timer = setTimeout(callback, delayMs);
  return () => clearTimeout(timer);
};
