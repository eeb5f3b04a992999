import type { CatalogPanel, JsonObject } from "@backplane/contract/panels";
import type { Answer, Fault } from "../../calls/call.ts";
import { faultWords } from "../../calls/fault-words.ts";
import type { LayoutCalls, Opened } from "../calls.ts";
import type { DockStore } from "./dock-store.ts";
import type { Drop } from "./drop-target.ts";
import { type Side, splitAt } from "./geometry.ts";
import { findLeaf, leafOfTab } from "./layout-tree.ts";

/** Where a new panel goes. */
export type Where = { leafId: string; side?: Side | undefined };

export type Say = {
  /** Confirms what the user just did. */
  done(words: string, undo?: () => void): void;
  /** What was not done, and why. */
  fault(words: string): void;
};

export type Actions = {
  show(leafId: string, tabId: string): void;
  add(panel: CatalogPanel, where: Where): Promise<void>;
  openBeside(tabId: string, kind: string, initialState: JsonObject, displayName: string | undefined): Promise<void>;
  close(tabId: string): Promise<void>;
  closeOthers(tabId: string): Promise<void>;
  rename(tabId: string, displayName: string): Promise<void>;
  drop(tabId: string, drop: Drop): Promise<void>;
  resize(splitId: string, ratio: number): Promise<void>;
  undo(revision?: number): Promise<void>;
};

type Ground = {
  calls: LayoutCalls;
  dock: DockStore;
  say: Say;
  nameOf: (tabId: string) => string;
  /** The user asked for this tab: the keyboard goes on there. */
  onOpened: (tabId: string) => void;
  /** The session may have ended. */
  onUnknownCaller: () => void;
};

/** What a user does to the layout. Each is one call that programs use as well; the layout that comes back is drawn. */
export function createActions({ calls, dock, say, nameOf, onOpened, onUnknownCaller }: Ground): Actions {
  const root = () => dock.state().layout?.root;

  const refused = (what: string, fault: Fault) => {
    if (fault.status === 401) onUnknownCaller();
    say.fault(`${what} ${faultWords(fault)}`);
  };

  /** True when it was done. */
  const edit = async <T>(what: string, work: () => Promise<Answer<T>>): Promise<T | Fault> => {
    const answer = await dock.own(work);
    if (answer.ok) return answer.value;
    refused(what, answer.fault);
    return answer.fault;
  };
  const failed = (outcome: unknown): outcome is Fault =>
    typeof outcome === "object" && outcome !== null && "status" in outcome && "code" in outcome;

  const opened = (outcome: Opened | Fault) => {
    if (!failed(outcome)) onOpened(outcome.tabId);
  };

  const undo = async (revision?: number, times = 1): Promise<void> => {
    for (let count = 0; count < times; count++) {
      const body = count === 0 && revision !== undefined ? { revision } : {};
      if (failed(await edit("Not taken back.", () => calls.undo(body)))) return;
    }
    say.done(times === 1 ? "Taken back." : `${times} changes taken back.`);
  };

  const closeAll = async (tabIds: readonly string[]): Promise<void> => {
    const [only] = tabIds;
    const words = tabIds.length === 1 && only !== undefined ? nameOf(only) : `${tabIds.length} tabs`;
    let revision: number | undefined;
    for (const [count, tabId] of tabIds.entries()) {
      const outcome = await edit("Not closed.", () => calls.closeTab({ tabId }));
      // Somebody was faster: it is as it should be.
      if (failed(outcome) && outcome.code !== "tab-unknown") return;
      if (failed(outcome)) continue;
      revision = outcome?.revision;
      if (count === tabIds.length - 1) say.done(`Closed ${words}.`, () => void undo(revision, tabIds.length));
    }
  };

  return {
    show(leafId, tabId) {
      const choice = dock.choose(leafId, tabId);
      void calls.changeTab({ tabId, active: true }).then((answer) => {
        choice.settled(answer.ok ? (answer.value?.revision ?? 0) : undefined);
        if (!answer.ok) refused("Not shown.", answer.fault);
      });
    },
    async add(panel, { leafId, side }) {
      const what = { panelId: leafId, panelType: panel.identifier };
      opened(
        await edit(`${panel.name} was not added.`, () =>
          side ? calls.addSplit({ ...what, ...splitAt(side) }) : calls.addTab(what),
        ),
      );
    },
    async openBeside(tabId, kind, initialState, displayName) {
      const now = root();
      const leaf = now && leafOfTab(now, tabId);
      if (!leaf) return;
      const named = displayName === undefined ? {} : { displayName, reuse: true };
      const body = { panelId: leaf.id, panelType: kind, initialState, ...named };
      opened(await edit("Not opened.", () => calls.addTab(body)));
    },
    close: (tabId) => closeAll([tabId]),
    closeOthers(tabId) {
      const now = root();
      const mates = (now && leafOfTab(now, tabId))?.tabs ?? [];
      return closeAll(mates.map(({ id }) => id).filter((id) => id !== tabId));
    },
    async rename(tabId, displayName) {
      await edit("Not renamed.", () => calls.changeTab({ tabId, displayName }));
    },
    async drop(tabId, drop) {
      const now = root();
      const source = now && leafOfTab(now, tabId);
      if (!now || !source || !findLeaf(now, drop.leafId)) return;
      const body = { sourcePanelId: source.id, tabId, targetPanelId: drop.leafId };
      const from = source.tabs.findIndex(({ id }) => id === tabId);
      const place = (): { index?: number } | ReturnType<typeof splitAt> => {
        if (drop.kind === "split") return splitAt(drop.side);
        if (drop.kind === "join") return {};
        // The server counts the places among the other tabs.
        return { index: drop.leafId === source.id && drop.index > from ? drop.index - 1 : drop.index };
      };
      await edit("Not moved.", () => calls.moveTab({ ...body, ...place() }));
    },
    async resize(splitId, ratio) {
      dock.preview(splitId, ratio);
      const answer = await calls.resizeSplit({ splitId, ratio });
      dock.settleRatio(splitId, answer.ok ? answer.value?.revision : undefined);
      if (!answer.ok) refused("The split is as it was.", answer.fault);
    },
    async undo(revision) {
      await undo(revision);
    },
  };
}
