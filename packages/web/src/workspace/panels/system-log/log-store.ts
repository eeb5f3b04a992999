import { type LogEntry, PANELS_LIMITS } from "@backplane/contract/panels";
import { type Answer, call, type Fault } from "../../../calls/call.ts";
import { type WorkspaceName, workspaceRoute } from "../../calls.ts";
import type { PanelContext } from "../../panel.ts";
import { createStore } from "../../store.ts";
import { addLines } from "./log-lines.ts";

export type LogView = {
  readonly lines: readonly LogEntry[];
  readonly isLoaded: boolean;
  readonly fault: Fault | undefined;
};

export type LogStore = {
  view(): LogView;
  subscribe(listener: () => void): () => void;
  /** Loads earlier lines, and those written while the connection was down. */
  load(): Promise<void>;
  dispose(): void;
};

type Get = (path: string) => Promise<Answer<{ entries: LogEntry[] }>>;
const getEntries: Get = (path) => call({ method: "GET", path });

export const logPath = (workspace: WorkspaceName): string => workspaceRoute(workspace, "/log");

type Context = Pick<PanelContext, "workspace" | "onLog" | "onReconnect">;

/** The newest lines of a workspace's log. It listens before it loads, so that no line is lost in between. */
export function createLogStore({ workspace, onLog, onReconnect }: Context, get = getEntries): LogStore {
  const { state: view, subscribe, update } = createStore<LogView>({ lines: [], isLoaded: false, fault: undefined });

  const load = async () => {
    update({ fault: undefined });
    const answer = await get(`${logPath(workspace)}?limit=${PANELS_LIMITS.maxLogEntries}`);
    if (answer.ok) update({ lines: addLines(view().lines, answer.value.entries), isLoaded: true });
    else update({ fault: answer.fault });
  };
  const stopLog = onLog((entries) => update({ lines: addLines(view().lines, entries) }));
  const stopReconnect = onReconnect(() => void load());

  return {
    view,
    subscribe,
    load,
    dispose() {
      stopLog();
      stopReconnect();
    },
  };
}
