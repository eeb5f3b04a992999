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
      socket.onmessage = ({ data }) => events.onMessage(JSON.parse(String(data)));
      socket.onclose = () => events.onClose();
      return socket;
    },
    setTimer: browserTimer,
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

/** Of a path of this site. */
export const socketUrl = (path: string): string => `${location.origin.replace(/^http/, "ws")}${path}`;

export const browserTimer: SetTimer = (callback, delayMs) => {
  const timer = setTimeout(callback, delayMs);
  return () => clearTimeout(timer);
};
