import { type LogEntry, PANELS_LIMITS } from "@backplane/contract/panels";
import { type Answer, call, type Fault } from "../../../calls/call.ts";
import { type WorkspaceName, workspaceRoute } from "../../calls.ts";
import type { PanelContext } from "../../panel.ts";
import { addLines } from "./lines.ts";

export type LogView = {
  readonly lines: readonly LogEntry[];
  readonly isLoaded: boolean;
  readonly fault: Fault | undefined;
};

export type LogStore = {
  view(): LogView;
  subscribe(listener: () => void): () => void;
  /** Gets what was written before, or while there was no connection. */
  load(): Promise<void>;
  dispose(): void;
};

type Ask = (path: string) => Promise<Answer<{ entries: LogEntry[] }>>;
const get: Ask = (path) => call({ method: "GET", path });

export const logPath = (workspace: WorkspaceName): string => workspaceRoute(workspace, "/log");

type Ground = Pick<PanelContext, "workspace" | "onLog" | "onReconnect">;

/** The newest lines of a workspace's log. Listening starts before asking, so that none falls between the two. */
export function createLogStore({ workspace, onLog, onReconnect }: Ground, ask = get): LogStore {
  const listeners = new Set<() => void>();
  let view: LogView = { lines: [], isLoaded: false, fault: undefined };

  const show = (change: Partial<LogView>) => {
    view = { ...view, ...change };
    for (const listener of listeners) listener();
  };
  const load = async () => {
    show({ fault: undefined });
    const answer = await ask(`${logPath(workspace)}?limit=${PANELS_LIMITS.maxLogEntries}`);
    if (answer.ok) show({ lines: addLines(view.lines, answer.value.entries), isLoaded: true });
    else show({ fault: answer.fault });
  };
  const stopLog = onLog((entries) => show({ lines: addLines(view.lines, entries) }));
  const stopReconnect = onReconnect(() => void load());

  return {
    view: () => view,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    load,
    dispose() {
      stopLog();
      stopReconnect();
      listeners.clear();
    },
  };
}
