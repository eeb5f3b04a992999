import type { Ticket } from "@backplane/contract/panels";
import { type Answer, call } from "../../calls/call.ts";
import { type WorkspaceName, workspaceRoute } from "../calls.ts";
import type { SetTimer } from "./order-desk.ts";

/** What the connection needs of a WebSocket. */
export type PageSocket = { send(text: string): void; close(): void };
export type SocketEvents = { onOpen(): void; onText(text: string): void; onClose(): void };

/** The world around the connection, so that tests can be it. */
export type Surroundings = {
  getTicket(): Promise<Answer<Ticket>>;
  openSocket(path: string, events: SocketEvents): PageSocket;
  setTimer: SetTimer;
  random(): number;
  /** Calls back when the page is seen again or is online again: then it is worth to try at once. */
  onWake(listener: () => void): () => void;
  onFault(error: unknown): void;
};

export function browserSurroundings(workspace: WorkspaceName): Surroundings {
  return {
    getTicket: () => call<Ticket>({ method: "POST", path: workspaceRoute(workspace, "/ticket") }),
    openSocket(socketPath, events) {
      const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}${socketPath}`);
      socket.onopen = () => events.onOpen();
      socket.onmessage = ({ data }) => events.onText(String(data));
      socket.onclose = () => events.onClose();
      return socket;
    },
    setTimer(callback, delayMs) {
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
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
