import type { JsonObject, Tab } from "@backplane/contract/panels";
import { faultWords } from "../../calls/fault-words.ts";
import type { LayoutCalls, WorkspaceName } from "../calls.ts";
import type { LiveClient } from "../live/live-client.ts";
import type { PanelContext } from "../panel.ts";
import { findTab, leafOfTab } from "./layout-tree.ts";

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

/** As the server merges: key by key, null removes a key. */
export function merge(state: JsonObject, patch: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries({ ...state, ...patch }).filter(([, value]) => value !== null));
}

type Kept = { patch: JsonObject; revision: number | undefined };

type PanelState = {
  state(): JsonObject;
  onState(listener: (state: JsonObject) => void): () => void;
  /** What a layout says. */
  hear(state: JsonObject, revision: number): void;
  setState(patch: JsonObject): Promise<void>;
  /** Calls those who listen, though the state is the same. */
  tell(): void;
};

/**
 * The state of a tab: the server's, with what was set here on top until a layout has it. `write` gives the revision that
 * has a patch; when it throws, the patch is taken back.
 */
export function createPanelState(
  first: JsonObject,
  write: (patch: JsonObject) => Promise<number | undefined>,
): PanelState {
  const listeners = new Set<(state: JsonObject) => void>();
  let heard = { state: first, revision: 0 };
  let kept: Kept[] = [];
  let shown = first;

  const tell = () => {
    for (const listener of listeners) listener(shown);
  };
  const show = () => {
    const next = kept.reduce((state, { patch }) => merge(state, patch), heard.state);
    // Layouts come for changes of other tabs, too.
    if (JSON.stringify(next) === JSON.stringify(shown)) return;
    shown = next;
    tell();
  };
  const drop = (keep: (each: Kept) => boolean) => {
    kept = kept.filter(keep);
    show();
  };

  return {
    state: () => shown,
    tell() {
      shown = { ...shown };
      tell();
    },
    onState(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    hear(state, revision) {
      heard = { state, revision };
      drop((each) => each.revision === undefined || each.revision > revision);
    },
    async setState(patch) {
      const own: Kept = { patch, revision: undefined };
      kept = [...kept, own];
      show();
      try {
        own.revision = await write(patch);
        if (own.revision === undefined || own.revision <= heard.revision) drop((each) => each !== own);
      } catch (error) {
        drop((each) => each !== own);
        throw error;
      }
    },
  };
}
