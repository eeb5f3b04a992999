import type {
  BrowserMessage,
  JsonData,
  Layout,
  LogEntry,
  Order,
  ServerMessage,
  SharingRequest,
} from "@backplane/contract/panels";
import type { WorkspaceName } from "../calls.ts";
import { keepLink } from "./keep-link.ts";
import { fitsOneMessage } from "./message-size.ts";
import { createOrderDesk } from "./order-desk.ts";
import { createStanding } from "./standing.ts";
import { browserSurroundings, type Surroundings } from "./surroundings.ts";

export type LiveState = {
  connection: "connecting" | "open" | "lost" | "refused";
  /** The newest one seen of this connection or the last: within one it never goes back. */
  layout: Layout | undefined;
  framesUrl: string;
  isPrimary: boolean;
  sharingRequests: readonly SharingRequest[];
  /** Why the connection was lost or refused, as far as the server said. */
  fault: { code: string; detail: string } | undefined;
};

export type LiveClient = {
  /** The same object until something changes. */
  state(): LiveState;
  subscribe(listener: () => void): () => void;
  /** Orders that come before their handler wait for it, up to their time. */
  onOrder(tabId: string | "workspace", handler: (order: Order) => Promise<JsonData>): () => void;
  onLog(listener: (entries: LogEntry[]) => void): () => void;
  send(message: BrowserMessage): void;
  /** After an own HTTP edit: takes its layout at once instead of waiting for the echo. */
  offer(layout: Layout): void;
  close(): void;
};

const FIRST: LiveState = {
  connection: "connecting",
  layout: undefined,
  framesUrl: "",
  isPrimary: false,
  sharingRequests: [],
  fault: undefined,
};

/** The page's end of the connection with the server. */
export function openLive(workspace: WorkspaceName, around: Surroundings = browserSurroundings(workspace)): LiveClient {
  const listeners = new Set<() => void>();
  const logListeners = new Set<(entries: LogEntry[]) => void>();
  const standing = createStanding();
  let state = FIRST;

  function change(part: Partial<LiveState>): void {
    state = { ...state, ...part };
    for (const listener of [...listeners]) listener();
  }

  const newer = (layout: Layout): Layout =>
    state.layout && state.layout.revision >= layout.revision ? state.layout : layout;

  function offer(layout: Layout): void {
    if (newer(layout) === layout) change({ layout });
  }

  const desk = createOrderDesk({
    answer(answer) {
      const text = textOf(answer);
      if (text !== undefined && fitsOneMessage(text)) link.sendText(text);
      else {
        const detail = "What the panel answered is too large, or no JSON.";
        link.send({ type: "answer", id: answer.id, ok: false, code: "unsupported", detail });
      }
    },
    setTimer: around.setTimer,
    onFault: around.onFault,
  });

  function welcome({ isPrimary, layout, framesUrl, sharingRequests }: Message<"welcome">): void {
    for (const message of standing.messages()) link.send(message);
    // The server's word, also where it is older: the workspace may have been made anew, and all later ones come here.
    change({ connection: "open", layout, framesUrl, isPrimary, sharingRequests, fault: undefined });
  }

  const without = (id: string) => state.sharingRequests.filter((request) => request.id !== id);

  const hear: Hearing = {
    order: ({ id, order }) => desk.take(id, order),
    withdrawn: ({ id }) => desk.withdraw(id),
    layout: ({ layout }) => offer(layout),
    welcome,
    primary: ({ isPrimary }) => change({ isPrimary }),
    "sharing-asked": ({ request }) => change({ sharingRequests: [...without(request.id), request] }),
    "sharing-over": ({ id }) => change({ sharingRequests: without(id) }),
    log({ entries }) {
      for (const listener of [...logListeners]) listener(entries);
    },
  };

  const link = keepLink(around, {
    // A newer server may say what this page does not know.
    onMessage: <Type extends Heard>(message: Message<Type>) => hear[message.type]?.(message),
    onLost(fault) {
      desk.withdrawAll();
      change({ connection: "lost", isPrimary: false, sharingRequests: [], fault });
    },
    onRefused(fault) {
      desk.withdrawAll();
      change({ connection: "refused", isPrimary: false, sharingRequests: [], fault });
    },
  });

  return {
    state: () => state,
    subscribe(listener) {
      const own = () => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    onOrder(target, handler) {
      const stop = desk.onOrder(target, handler);
      return () => {
        stop();
        if (!desk.hasHandler(target)) standing.forgetTab(target);
      };
    },
    onLog(listener) {
      const own = (entries: LogEntry[]) => listener(entries);
      logListeners.add(own);
      return () => void logListeners.delete(own);
    },
    send(message) {
      standing.note(message, link.send(message));
    },
    offer,
    close() {
      desk.withdrawAll();
      listeners.clear();
      logListeners.clear();
      link.close();
    },
  };
}

type Heard = Exclude<ServerMessage["type"], "renewed" | "error">;
type Message<Type extends Heard> = { [Each in Type]: Extract<ServerMessage, { type: Each }> }[Type];
type Hearing = { [Type in Heard]: (message: Message<Type>) => void };

function textOf(message: BrowserMessage): string | undefined {
  try {
    return JSON.stringify(message);
  } catch {
    return undefined;
  }
}
