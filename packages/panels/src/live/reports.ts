import { findPanel } from "../catalog/catalog.ts";
import type { JsonObject, Layout, LayoutNode, Tab } from "../contract.ts";
import { PANELS_LIMITS } from "../contract.ts";
import type { Workspaces } from "../services.ts";

type Shown = { url?: string; title?: string };

/** What one browser's web views show, kept in their state. */
export type Reports = {
  note(tabId: string, shown: Shown): void;
  close(): void;
};

/** The last report of a tab wins; they are written together, every `everyMs` at most. */
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
      const tab = findTab(layout()?.root, tabId);
      const patch = tab && findPanel(tab.panelType)?.kind === "webview" ? news(tab.panelState, shown) : {};
      if (Object.keys(patch).length > 0) await workspaces.patchState(workspaceId, tabId, patch);
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
      waiting.set(tabId, { ...waiting.get(tabId), ...shown });
      start();
    },
    close() {
      waiting.clear();
      clearTimeout(timer);
    },
  };
}

function news(state: JsonObject, { url, title }: Shown): JsonObject {
  return {
    ...(url !== undefined && url !== state.url ? { url } : {}),
    ...(title !== undefined && title !== state.title ? { title } : {}),
  };
}

function findTab(node: LayoutNode | undefined, tabId: string): Tab | undefined {
  if (!node) return undefined;
  if (node.type === "leaf") return node.tabs.find(({ id }) => id === tabId);
  return findTab(node.first, tabId) ?? findTab(node.second, tabId);
}
