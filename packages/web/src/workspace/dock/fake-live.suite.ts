import type { Layout, Tab } from "@backplane/contract/panels";
import type { LiveClient, LiveState } from "../live/live-client.ts";

/** A connection for tests: `receive` delivers a layout as the server would. */
export function fakeLive(first: Layout): LiveClient & { receive(layout: Layout): void } {
  const listeners = new Set<() => void>();
  let state: LiveState = {
    ...{ connection: "open", layout: first, framesUrl: "http://*.localhost:1", isPrimary: true },
    ...{ sharingRequests: [], unanswered: undefined, renamedTo: undefined, fault: undefined },
  };
  const receive = (layout: Layout) => {
    state = { ...state, layout };
    for (const listener of listeners) listener();
  };
  return {
    ...{
      receive,
      state: () => state,
      send() {},
      forgetTab() {},
      close() {},
      onOrder: () => () => {},
      onLog: () => () => {},
      onPackages: () => () => {},
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const tabOf = (id: string): Tab => ({ id, panelType: "backplane/x", panelState: {} });

export const leafLayout = (revision: number, activeTabId: string, ...tabIds: string[]): Layout => ({
  revision,
  root: { type: "leaf", id: "a", tabs: tabIds.map(tabOf), activeTabId },
});

/** Two panels beside each other. */
export const splitLayout = (revision: number, ratio = 0.5): Layout => ({
  revision,
  root: {
    ...{ type: "split", id: "s", direction: "horizontal", ratio },
    first: { type: "leaf", id: "a", tabs: ["1", "2", "3"].map(tabOf), activeTabId: "1" },
    second: { type: "leaf", id: "b", tabs: [tabOf("4")], activeTabId: "4" },
  },
});
