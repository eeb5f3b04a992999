import type { CatalogPanel, JsonObject, MoveTab } from "@backplane/contract/panels";
import type { Answer, Fault } from "../../calls/call.ts";
import { faultWords } from "../../calls/fault-words.ts";
import type { Edit as Edited, LayoutCalls, Opened } from "../calls.ts";
import type { DockStore } from "./dock-store.ts";
import type { Drop } from "./drop-target.ts";
import { type Side, splitAt } from "./geometry.ts";
import { findLeaf, leafOfTab } from "./layout-tree.ts";

/** Where a new panel goes. */
export type Where = { leafId: string; side?: Side | undefined };

export type Say = {
  /** Confirms what the user just did. */
  done(text: string, undo?: () => void): void;
  /** What was not done, and why. */
  fault(text: string): void;
};

type Dependencies = {
  calls: LayoutCalls;
  dock: DockStore;
  say: Say;
  nameOf: (tabId: string) => string;
  /** The user opened this tab: the keyboard goes there. */
  onOpened: (tabId: string) => void;
  /** The session may have ended. */
  onUnknownCaller: () => void;
};

export type Actions = ReturnType<typeof createActions>;

/** `opens`: how, if not by its identifier alone. */
export type AddedPanel = Pick<CatalogPanel, "identifier" | "name" | "singleton"> & {
  opens?: { panelType: string; initialState: JsonObject; displayName: string };
};

/** What users do to the layout. Each action is a call that programs use as well; the new layout comes from the server. */
export function createActions(dependencies: Dependencies) {
  const { calls, dock, onOpened } = dependencies;
  const { edit, report } = createEdits(dependencies);
  const { close, undo } = createClosing(dependencies, edit);
  const root = () => dock.state().layout?.root;

  const open = async (whatFailed: string, call: () => Promise<Answer<Opened>>) => {
    const answer = await edit(whatFailed, call);
    if (answer.ok) onOpened(answer.value.tabId);
  };

  return {
    show(leafId: string, tabId: string): void {
      const choice = dock.choose(leafId, tabId);
      void calls.changeTab({ tabId, active: true }).then((answer) => {
        choice.settled(answer.ok ? (answer.value?.revision ?? 0) : undefined);
        if (!answer.ok) report("The tab was not shown.", answer.fault);
      });
    },
    add(panel: AddedPanel, { leafId, side }: Where): Promise<void> {
      const tab = { panelId: leafId, panelType: panel.identifier, ...panel.opens };
      return open(`${panel.name} was not added.`, () =>
        side ? calls.addSplit({ ...tab, ...splitAt(side) }) : calls.addTab(tab),
      );
    },
    async openBeside(tabId: string, kind: string, initialState: JsonObject, displayName?: string): Promise<void> {
      const now = root();
      const leaf = now && leafOfTab(now, tabId);
      if (!leaf) return;
      const named = displayName === undefined ? {} : { displayName, reuse: true };
      const tab = { panelId: leaf.id, panelType: kind, initialState, ...named };
      await open("The panel was not opened.", () => calls.addTab(tab));
    },
    close: (tabId: string): Promise<void> => close([tabId]),
    closeOthers(tabId: string): Promise<void> {
      const now = root();
      const tabs = (now && leafOfTab(now, tabId))?.tabs ?? [];
      return close(tabs.map(({ id }) => id).filter((id) => id !== tabId));
    },
    async rename(tabId: string, displayName: string): Promise<void> {
      await edit("The tab was not renamed.", () => calls.changeTab({ tabId, displayName }));
    },
    async setState(tabId: string, panelState: JsonObject): Promise<void> {
      await edit("The panel was not changed.", () => calls.changeTab({ tabId, panelState }));
    },
    async drop(tabId: string, drop: Drop): Promise<void> {
      const now = root();
      const move = now && moveFor(now, tabId, drop);
      if (move) await edit("The tab was not moved.", () => calls.moveTab(move));
    },
    async resize(splitId: string, ratio: number): Promise<void> {
      dock.preview(splitId, ratio);
      const answer = await calls.resizeSplit({ splitId, ratio });
      dock.settleRatio(splitId, answer.ok ? answer.value?.revision : undefined);
      if (!answer.ok) report("The panels were not resized.", answer.fault);
    },
    undo: (): Promise<void> => undo(undefined, 1),
  };
}

type Edit = <T extends Edited | undefined>(whatFailed: string, call: () => Promise<Answer<T>>) => Promise<Answer<T>>;

function createEdits({ dock, say, onUnknownCaller }: Dependencies) {
  const report = (whatFailed: string, fault: Fault) => {
    if (fault.status === 401) onUnknownCaller();
    say.fault(`${whatFailed} ${faultWords(fault)}`);
  };
  const edit: Edit = async (whatFailed, call) => {
    const answer = await dock.runOwnEdit(call, (given) => (given.ok ? given.value?.revision : undefined));
    if (!answer.ok) report(whatFailed, answer.fault);
    return answer;
  };
  return { edit, report };
}

function createClosing({ calls, say, nameOf }: Dependencies, edit: Edit) {
  /** Undoes the latest changes. `revision`: only if that is the latest one. */
  const undo = async (revision: number | undefined, times: number): Promise<void> => {
    const leftOut: string[] = [];
    for (let count = 0; count < times; count++) {
      const body = count === 0 && revision !== undefined ? { revision } : {};
      const answer = await edit("The change was not undone.", () => calls.undo(body));
      if (!answer.ok) return;
      leftOut.push(...(answer.value?.leftOut ?? []));
    }
    say.done([times === 1 ? "Change undone." : `${times} changes undone.`, ...leftOut].join(" "));
  };

  const close = async (tabIds: readonly string[]): Promise<void> => {
    const [only] = tabIds;
    const what = tabIds.length === 1 && only !== undefined ? nameOf(only) : `${tabIds.length} tabs`;
    for (const [count, tabId] of tabIds.entries()) {
      const answer = await edit("The tab was not closed.", () => calls.closeTab({ tabId }));
      // Somebody else has closed it already.
      if (!answer.ok && answer.fault.code === "tab-unknown") continue;
      if (!answer.ok) return;
      if (count === tabIds.length - 1)
        say.done(`Closed ${what}.`, () => void undo(answer.value?.revision, tabIds.length));
    }
  };

  return { close, undo };
}

/** The call for a drop; undefined when the tab or the target is gone. */
function moveFor(root: Parameters<typeof findLeaf>[0], tabId: string, drop: Drop): MoveTab | undefined {
  const source = leafOfTab(root, tabId);
  if (!source || !findLeaf(root, drop.leafId)) return undefined;
  const move = { sourcePanelId: source.id, tabId, targetPanelId: drop.leafId };
  if (drop.kind === "split") return { ...move, ...splitAt(drop.side) };
  if (drop.kind === "join") return move;
  // The server counts positions among the other tabs.
  const from = source.tabs.findIndex(({ id }) => id === tabId);
  const isAfterItself = drop.leafId === source.id && drop.index > from;
  return { ...move, index: isAfterItself ? drop.index - 1 : drop.index };
}
