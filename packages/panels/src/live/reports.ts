import { type JsonObject, type Layout, PANELS_LIMITS, type Tab } from "@backplane/contract/panels";
import { panelOf } from "../catalog/catalog.ts";
import { findTab } from "../layout/tree.ts";
import type { Workspaces } from "../services.ts";

type Shown = { url?: string; title?: string; visit?: number };

/** What one browser's web views show, kept in their state. */
export type Reports = {
  note(tabId: string, shown: Shown): void;
  close(): void;
};

/** The last report of a tab wins. Reports are written together, at most every `everyMs`. */
export function createReports({
  workspaceId,
  workspaces,
  layout,
  everyMs,
  onFault,
}: {
  workspaceId: string;
  workspaces: Pick<Workspaces, "patchState">;
  /** As this instance last heard of it. */
  layout: () => Layout | undefined;
  everyMs: number;
  onFault: (error: unknown) => void;
}): Reports {
  const waiting = new Map<string, Shown>();
  let timer: NodeJS.Timeout | undefined;

  async function write(): Promise<void> {
    const reports = [...waiting];
    waiting.clear();
    for (const [tabId, shown] of reports) {
      const tab = tabOf(layout(), tabId);
      const hasChanges =
        tab && panelOf(tab)?.kind === "webview" && Object.keys(changesIn(tab.panelState, shown)).length > 0;
      if (hasChanges) await workspaces.patchState(workspaceId, tabId, (state) => changesIn(state, shown));
    }
  }

  function due(): void {
    write()
      .catch(onFault)
      .finally(() => {
        timer = undefined;
        if (waiting.size > 0) start();
      });
  }

  function start(): void {
    timer ??= setTimeout(due, everyMs).unref();
  }

  return {
    note(tabId, shown) {
      if (!waiting.has(tabId) && waiting.size >= PANELS_LIMITS.maxTabs) return;
      const before = waiting.get(tabId);
      waiting.set(tabId, before?.visit === shown.visit ? { ...before, ...shown } : shown);
      start();
    },
    close() {
      waiting.clear();
      clearTimeout(timer);
    },
  };
}

/** Ignores reports about a page that the web view has already left. */
function changesIn(state: JsonObject, { url, title, visit }: Shown): JsonObject {
  if (visit !== undefined && visit !== (state.visit ?? 0)) return {};
  return {
    ...(url !== undefined && url !== state.url ? { url } : {}),
    ...(title !== undefined && title !== state.title ? { title } : {}),
  };
}

const tabOf = (layout: Layout | undefined, tabId: string): Tab | undefined =>
  layout && findTab(layout.root, tabId)?.tab;
