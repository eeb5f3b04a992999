import { randomUUID } from "node:crypto";
import type { Live } from "../services.ts";
import type { ShortLivedEntries } from "./short-lived-entries.ts";

/** Event streams of workspaces, counted over all instances. */
export type EventStreamCounts = Pick<Live, "countStream" | "eventStreams"> & {
  /** Says that those of this instance are still open. */
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
