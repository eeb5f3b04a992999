import type { JsonObject, Tab } from "@backplane/contract/panels";
import { faultWords } from "../../calls/fault-words.ts";
import type { LayoutCalls, WorkspaceName } from "../calls.ts";
import type { LiveClient } from "../live/live-client.ts";
import type { PanelContext } from "../panel.ts";
import { createPanelState } from "./panel-state.ts";
import { findTab, leafOfTab } from "./tree.ts";

type Ground = {
  tab: Tab;
  kind: string;
  workspace: WorkspaceName;
  live: LiveClient;
  calls: LayoutCalls;
  onTitle: (title: string | undefined) => void;
  onOpen: (kind: string, initialState: JsonObject, displayName: string | undefined) => Promise<void>;
};

/** What one panel is given, until `close`. */
export function createPanelContext(ground: Ground): { context: PanelContext; close: () => void } {
  const { tab, kind, workspace, live, calls, onTitle, onOpen } = ground;
  const tabId = tab.id;
  const tabNow = (): Tab | undefined => {
    const { layout } = live.state();
    return layout && findTab(layout.root, tabId);
  };

  const state = createPanelState(tab.panelState, async (patch) => {
    const answer = await calls.changeTab({ tabId, panelState: patch });
    if (!answer.ok) throw new Error(faultWords(answer.fault));
    return answer.value?.revision;
  });

  let driver = tab.drivenBy;
  const stopHearing = live.subscribe(() => {
    const { layout } = live.state();
    const now = tabNow();
    if (!now || !layout) return;
    state.hear(now.panelState, layout.revision);
    // Who drives it is shown beside what it holds.
    if (now.drivenBy !== driver) state.tell();
    driver = now.drivenBy;
  });

  const context: PanelContext = {
    tabId,
    kind,
    workspace,
    framesUrl: live.state().framesUrl,
    state: state.state,
    onState: state.onState,
    setState: state.setState,
    setTitle: onTitle,
    isPrimary: () => live.state().isPrimary,
    onOrder: (handler) => live.onOrder(tabId, handler),
    report: (shown) => live.send({ type: "report", tabId, ...shown }),
    panelId() {
      const { layout } = live.state();
      return layout && leafOfTab(layout.root, tabId)?.id;
    },
    displayIcon: () => tabNow()?.displayIcon,
    onLog: live.onLog,
    onReconnect(listener) {
      let { connection: before } = live.state();
      return live.subscribe(() => {
        const { connection } = live.state();
        const isBack = connection === "open" && before !== "open";
        before = connection;
        if (isBack) listener();
      });
    },
    drivenBy: () => tabNow()?.drivenBy,
    open: onOpen,
  };
  return {
    context,
    close() {
      stopHearing();
      live.forgetTab(tabId);
    },
  };
}
