import { randomUUID } from "node:crypto";
import type { Sharing } from "@backplane/contract/panels";
import type { Live, PresentBrowser } from "../services.ts";
import type { Entry, ShortLivedEntries } from "./entries.ts";

export const NOT_SHARING: Sharing = { active: false, displaySurface: null };

/**
 * Which browsers have a workspace open, wherever they are connected.
 * - A beat keeps a browser for `lifeMs`; without one it is gone then, even if its instance crashed.
 * - The list begins with the browser that has been there longest, in the same order on every instance.
 * - A workspace is moving for a while when an instance that stops has sent its browsers away: they come back elsewhere.
 * - The number of browsers is limited; one that was not admitted is missing in the list that `beat` returns.
 */
export type Presence = {
  beat(workspaceId: string, browsers: readonly PresentBrowser[]): Promise<PresentBrowser[]>;
  leave(workspaceId: string, browserId: string): Promise<void>;
  list(workspaceId: string): Promise<PresentBrowser[]>;
  announceMove(workspaceId: string): Promise<void>;
  isMoving(workspaceId: string): Promise<boolean>;
};

type PresenceLimits = { presenceLifeMs: number; movingMs: number };

export function createPresence(
  entries: ShortLivedEntries,
  { presenceLifeMs: lifeMs, movingMs }: PresenceLimits,
): Presence {
  const moveKeyOf = (workspaceId: string) => `moving:${workspaceId}`;
  const keyOf = (workspaceId: string) => `browsers:${workspaceId}`;
  return {
    async beat(workspaceId, browsers) {
      return inOrder(await entries.put(keyOf(workspaceId), browsers.map(toEntry), lifeMs));
    },
    leave: (workspaceId, browserId) => entries.remove(keyOf(workspaceId), browserId),
    list: async (workspaceId) => inOrder(await entries.list(keyOf(workspaceId))),
    async announceMove(workspaceId) {
      await entries.put(moveKeyOf(workspaceId), [{ id: "move", value: "" }], movingMs);
    },
    isMoving: async (workspaceId) => (await entries.list(moveKeyOf(workspaceId))).length > 0,
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

/** Event streams of workspaces, counted over all instances. */
export type EventStreamCounts = Pick<Live, "countStream" | "eventStreams"> & {
  /** Announces that the streams of this instance are still open. */
  beat(): Promise<void>;
  close(): Promise<void>;
};

export function countEventStreams(
  entries: ShortLivedEntries,
  { lifeMs, onFault }: { lifeMs: number; onFault: (error: unknown) => void },
): EventStreamCounts {
  const keyOf = (workspaceId: string) => `streams:${workspaceId}`;
  /** By workspace: the ids of its streams here. */
  const open = new Map<string, Set<string>>();

  async function leave(workspaceId: string, id: string): Promise<void> {
    const ids = open.get(workspaceId);
    if (!ids?.delete(id)) return;
    if (ids.size === 0) open.delete(workspaceId);
    await entries.remove(keyOf(workspaceId), id);
  }
  const put = (workspaceId: string, ids: Iterable<string>) =>
    entries.put(
      keyOf(workspaceId),
      Array.from(ids, (id) => ({ id, value: "" })),
      lifeMs,
    );

  return {
    eventStreams: async (workspaceId) => (await entries.list(keyOf(workspaceId))).length,
    async countStream(workspaceId) {
      const id = randomUUID();
      const there = await put(workspaceId, [id]);
      if (!there.some((entry) => entry.id === id)) return undefined;
      const ids = open.get(workspaceId) ?? new Set();
      open.set(workspaceId, ids.add(id));
      return () => void leave(workspaceId, id).catch(onFault);
    },
    async beat() {
      await Promise.all(Array.from(open, ([workspaceId, ids]) => put(workspaceId, ids)));
    },
    async close() {
      const all = [...open].flatMap(([workspaceId, ids]) => [...ids].map((id) => leave(workspaceId, id)));
      await Promise.all(all);
    },
  };
}
