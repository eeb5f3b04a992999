import {
  type BrowserMessage,
  type Layout,
  type LogEntry,
  type ServerMessage,
  type SharingRequest,
  SOCKET_LIMITS,
} from "@backplane/contract/panels";
import { createListeners } from "@backplane/kit/concurrency";
import { type WorkspaceName, workspaceRoute } from "../calls.ts";
import type { OrderHandler } from "../panel.ts";
import { createStore } from "../store.ts";
import { Connection, type ConnectionFault } from "./connection.ts";
import { browserEnvironment, type Environment } from "./environment.ts";
import { keepSame } from "./keep-same.ts";
import { createOrders } from "./orders.ts";

export type LiveState = {
  connection: "connecting" | "open" | "lost" | "refused";
  /** The newest layout seen. Within one connection it never goes back. */
  layout: Layout | undefined;
  framesUrl: string;
  isPrimary: boolean;
  sharingRequests: readonly SharingRequest[];
  /** The last request that nobody answered before its program stopped waiting. */
  unanswered: SharingRequest | undefined;
  /** The workspace has this name now. */
  renamedTo: WorkspaceName | undefined;
  /** Why the connection was lost or refused, if the server said so. */
  fault: ConnectionFault | undefined;
};

export type LiveClient = {
  /** The same object until something changes. */
  state(): LiveState;
  subscribe(listener: () => void): () => void;
  /** Orders that arrive before their handler wait for it, up to their time limit. */
  onOrder(tabId: string | "workspace", handler: OrderHandler): () => void;
  onLog(listener: (entries: LogEntry[]) => void): () => void;
  /** Panels from packages were added, changed or removed. */
  onPackages(listener: () => void): () => void;
  send(message: BrowserMessage): void;
  /** The panel of this tab is gone: do not report it to a new server. */
  forgetTab(tabId: string): void;
  close(): void;
};

const INITIAL_STATE: LiveState = {
  connection: "connecting",
  layout: undefined,
  framesUrl: "",
  isPrimary: false,
  sharingRequests: [],
  unanswered: undefined,
  renamedTo: undefined,
  fault: undefined,
};

/** A page creates no workspace: its address may be mistyped. */
const TICKET = "/ticket?create=false";

/** The page's end of the connection to the server. `known`: the layout a moment ago. */
export function openLive(
  workspace: WorkspaceName,
  environment: Environment = browserEnvironment(workspaceRoute(workspace, TICKET)),
  known?: Layout,
): LiveClient {
  const { state, subscribe, update } = createStore<LiveState>({ ...INITIAL_STATE, layout: known });
  const logListeners = createListeners<LogEntry[]>(environment.onFault);
  const packageListeners = createListeners<void>(environment.onFault);
  const replay = createReplay();

  const orders = createOrders({
    answer: (answer) => void connection.sendText(answerText(answer)),
    setTimer: environment.setTimer,
    now: environment.now,
    onFault: environment.onFault,
  });

  const without = (id: string) => state().sharingRequests.filter((request) => request.id !== id);

  const receive: Receivers = {
    order: ({ id, untilMs, order }) => orders.take(id, order, connection.toOwnClock(untilMs)),
    withdrawn: ({ id }) => orders.withdraw(id),
    layout({ layout }) {
      const before = state().layout;
      if (layout.revision > (before?.revision ?? -1)) update({ layout: keepSame(before, layout) });
    },
    welcome({ isPrimary, layout, framesUrl, sharingRequests }) {
      for (const message of replay.messages()) connection.send(message);
      // Even an older layout: the workspace may have been removed and created again.
      const newest = keepSame(state().layout, layout);
      update({ connection: "open", layout: newest, framesUrl, isPrimary, sharingRequests, fault: undefined });
    },
    primary: ({ isPrimary }) => update({ isPrimary }),
    "sharing-asked": ({ request }) => update({ sharingRequests: [...without(request.id), request] }),
    "sharing-over"({ id, why }) {
      const request = why === "stopped-waiting" ? state().sharingRequests.find((each) => each.id === id) : undefined;
      update({ sharingRequests: without(id), ...(request ? { unanswered: request } : {}) });
    },
    log: ({ entries }) => logListeners.emit(entries),
    packages: () => packageListeners.emit(),
    renamed: ({ owner, repo }) => update({ renamedTo: { owner, repo } }),
  };

  const disconnected = (connection: "lost" | "refused") => (fault: ConnectionFault | undefined) => {
    orders.withdrawAll();
    update({ connection, isPrimary: false, sharingRequests: [], fault });
  };
  const connection = new Connection<ServerMessage, BrowserMessage>(environment, {
    // A newer server may send what this page does not know.
    onMessage: <Type extends Received>(message: Message<Type>) => receive[message.type]?.(message),
    readFault: (message) => (message.type === "error" ? { code: message.code, detail: message.detail } : undefined),
    onLost: disconnected("lost"),
    onRefused: disconnected("refused"),
  });

  return {
    state,
    subscribe,
    onOrder: orders.addHandler,
    onLog: logListeners.add,
    onPackages: packageListeners.add,
    send: (message) => replay.note(message, connection.send(message)),
    forgetTab: replay.forgetTab,
    close() {
      orders.withdrawAll();
      connection.close();
    },
  };
}

type Received = Exclude<ServerMessage["type"], "renewed" | "error">;
type Message<Type extends Received> = { [Each in Type]: Extract<ServerMessage, { type: Each }> }[Type];
type Receivers = { [Type in Received]: (message: Message<Type>) => void };

/** UTF-8 takes at most three bytes per UTF-16 unit, so most texts need no counting. */
const MAX_UTF8_BYTES_PER_UNIT = 3;

const fitsOneMessage = (text: string): boolean =>
  text.length * MAX_UTF8_BYTES_PER_UNIT <= SOCKET_LIMITS.maxPayloadBytes ||
  new TextEncoder().encode(text).length <= SOCKET_LIMITS.maxPayloadBytes;

function answerText(answer: Extract<BrowserMessage, { type: "answer" }>): string {
  try {
    const text = JSON.stringify(answer);
    if (fitsOneMessage(text)) return text;
  } catch {
    // A cycle, or a value that JSON does not have.
  }
  const detail = "The panel's answer is too large or cannot be written as JSON.";
  return JSON.stringify({ type: "answer", id: answer.id, ok: false, code: "unsupported", detail });
}

/** Remembers what to send again after a reconnect. */
function createReplay() {
  const mounted = new Set<string>();
  const reports = new Map<string, Extract<BrowserMessage, { type: "report" }>>();
  let sharing: Extract<BrowserMessage, { type: "sharing" }> | undefined;

  return {
    note(message: BrowserMessage, wasSent: boolean): void {
      if (message.type === "mounted") mounted.add(message.tabId);
      else if (message.type === "sharing") sharing = message.sharing.active ? message : undefined;
      // The server stores reports: only those that were not sent are sent again.
      else if (message.type === "report" && !wasSent) {
        reports.set(message.tabId, { ...reports.get(message.tabId), ...message });
      }
    },
    forgetTab(tabId: string): void {
      mounted.delete(tabId);
      reports.delete(tabId);
    },
    messages(): BrowserMessage[] {
      const unsent = [...reports.values()];
      reports.clear();
      return [
        ...(sharing ? [sharing] : []),
        ...unsent,
        ...Array.from(mounted, (tabId): BrowserMessage => ({ type: "mounted", tabId })),
      ];
    },
  };
}
