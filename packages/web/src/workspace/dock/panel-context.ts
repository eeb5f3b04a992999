import type { CatalogPanel, JsonObject, Tab } from "@backplane/contract/panels";
import { createListeners } from "@backplane/kit/concurrency";
import { faultWords } from "../../calls/fault-words.ts";
import type { LayoutCalls, WorkspaceName } from "../calls.ts";
import type { OpenDevices } from "../devices/devices.ts";
import type { LiveClient, LiveState } from "../live/live-client.ts";
import type { PanelContext } from "../panel.ts";
import { saveFile } from "../parts/save-file.ts";
import { findTab } from "./layout-tree.ts";

type Options = {
  tab: Tab;
  catalogPanel: CatalogPanel | undefined;
  workspace: WorkspaceName;
  live: LiveClient;
  calls: LayoutCalls;
  /** Undefined: the panel shows no devices. */
  opened: OpenDevices | undefined;
  isShown: () => boolean;
  onTitle: (title: string | undefined) => void;
  onIcon: (icon: string | undefined) => void;
  onOpen: (kind: string, initialState: JsonObject, displayName: string | undefined) => Promise<void>;
};

/** The context of one panel, until `close`. */
export function createPanelContext(options: Options): { context: PanelContext; close: () => void } {
  const { tab, catalogPanel, workspace, live, calls, opened, isShown, onTitle, onIcon, onOpen } = options;
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
  const stopListening = live.subscribe(() => {
    const { layout } = live.state();
    const now = tabNow();
    if (!now || !layout) return;
    state.receive(now.panelState, layout.revision);
    // Panels show their driver beside their state.
    if (now.drivenBy !== driver) state.notify();
    driver = now.drivenBy;
  });

  const context: PanelContext = {
    tabId,
    catalogPanel,
    workspace,
    isShown,
    framesUrl: live.state().framesUrl,
    state: state.state,
    onState: state.onState,
    setState: state.setState,
    setTitle: onTitle,
    save: async (name, text) => saveFile(name, text),
    setIcon: onIcon,
    isPrimary: () => live.state().isPrimary,
    onPrimary: onBecoming(live, ({ isPrimary }) => isPrimary),
    announce: () => live.send({ type: "mounted", tabId }),
    onOrder: (handler) => live.onOrder(tabId, handler),
    report: (shown) => live.send({ type: "report", tabId, ...shown }),
    displayIcon: () => tabNow()?.displayIcon,
    onLog: live.onLog,
    onPackages: live.onPackages,
    onReconnect: onBecoming(live, ({ connection }) => connection === "open"),
    drivenBy: () => tabNow()?.drivenBy,
    open: onOpen,
    get devices() {
      return shown(opened).devices;
    },
    get clock() {
      return shown(opened).clock;
    },
  };
  return {
    context,
    close() {
      stopListening();
      live.forgetTab(tabId);
    },
  };
}

function shown(opened: OpenDevices | undefined): OpenDevices {
  if (!opened) throw new Error("A panel that uses devices lists the kinds of capability that it shows in the catalog.");
  return opened;
}

/** Calls listeners whenever this becomes true. */
const onBecoming = (live: LiveClient, is: (state: LiveState) => boolean) => (listener: () => void) => {
  let before = is(live.state());
  return live.subscribe(() => {
    const now = is(live.state());
    const isNew = now && !before;
    before = now;
    if (isNew) listener();
  });
};

/** Merges like the server: key by key; null removes a key. */
export function merge(state: JsonObject, patch: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries({ ...state, ...patch }).filter(([, value]) => value !== null));
}

type Pending = { patch: JsonObject; revision: number | undefined };

type PanelState = {
  state(): JsonObject;
  onState(listener: (state: JsonObject) => void): () => void;
  /** Takes the state of a layout. */
  receive(state: JsonObject, revision: number): void;
  setState(patch: JsonObject): Promise<void>;
  /** Calls the listeners although the state is the same. */
  notify(): void;
};

/**
 * The state of a tab: the server's state, and on top of it what was set here, until a layout has it. `write` returns the
 * revision that has a patch; when it throws, the patch is dropped.
 */
export function createPanelState(
  first: JsonObject,
  write: (patch: JsonObject) => Promise<number | undefined>,
): PanelState {
  const listeners = createListeners<JsonObject>((error) => reportError(error));
  let received = { state: first, revision: 0 };
  let pending: Pending[] = [];
  let shown = first;

  const show = () => {
    const next = pending.reduce((state, { patch }) => merge(state, patch), received.state);
    // Layouts also arrive for changes of other tabs.
    if (next === shown || JSON.stringify(next) === JSON.stringify(shown)) return;
    shown = next;
    listeners.emit(shown);
  };
  const keepOnly = (keep: (each: Pending) => boolean) => {
    pending = pending.filter(keep);
    show();
  };

  return {
    state: () => shown,
    notify() {
      shown = { ...shown };
      listeners.emit(shown);
    },
    onState: listeners.add,
    receive(state, revision) {
      received = { state, revision };
      keepOnly((each) => each.revision === undefined || each.revision > revision);
    },
    async setState(patch) {
      const own: Pending = { patch, revision: undefined };
      pending = [...pending, own];
      show();
      try {
        own.revision = await write(patch);
        if (own.revision === undefined || own.revision <= received.revision) keepOnly((each) => each !== own);
      } catch (error) {
        keepOnly((each) => each !== own);
        throw error;
      }
    },
  };
}
