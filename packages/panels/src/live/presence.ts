import type { Sharing } from "@backplane/contract/panels";
import type { PresentBrowser } from "../services.ts";
import type { Entry, ShortLivedEntries } from "./short-lived-entries.ts";

export const NOT_SHARING: Sharing = { active: false, displaySurface: null };

/**
 * Which browsers have a workspace open, wherever they are connected.
 * - Who beats is there for `lifeMs` more; who does not is gone then, however its instance ended.
 * - The list begins with the one that has been there longest, in the same order on every instance.
 * - There is room for so many; who finds none is not in the list that `beat` answers.
 */
export type Presence = {
  beat(workspaceId: string, browsers: readonly PresentBrowser[]): Promise<PresentBrowser[]>;
  leave(workspaceId: string, browserId: string): Promise<void>;
  list(workspaceId: string): Promise<PresentBrowser[]>;
};

export function createPresence(entries: ShortLivedEntries, lifeMs: number): Presence {
  const keyOf = (workspaceId: string) => `browsers:${workspaceId}`;
  return {
    async beat(workspaceId, browsers) {
      return inOrder(await entries.put(keyOf(workspaceId), browsers.map(toEntry), lifeMs));
    },
    leave: (workspaceId, browserId) => entries.remove(keyOf(workspaceId), browserId),
    list: async (workspaceId) => inOrder(await entries.list(keyOf(workspaceId))),
  };
}

const toEntry = ({ browserId, since, sharing }: PresentBrowser): Entry => ({
  id: browserId,
  value: JSON.stringify({ since, sharing }),
});

function inOrder(entries: readonly Entry[]): PresentBrowser[] {
  const browsers = entries.map(({ id, value }): PresentBrowser => {
    const { since, sharing } = JSON.parse(value) as Omit<PresentBrowser, "browserId">;
    return { browserId: id, since, sharing };
  });
  return browsers.sort((a, b) => a.since - b.since || (a.browserId < b.browserId ? -1 : 1));
}
