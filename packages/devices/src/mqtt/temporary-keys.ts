import { randomUUID } from "node:crypto";
import { newSecret } from "@backplane/kit/secrets";
import type { KeyRow, Keys, MadeKey } from "./keys.ts";

/** Keys of simulators that run in this process. They are never stored: nothing is left of them after a crash. */
export type TemporaryKeys = {
  make(workspaceId: string, device: string, nowMs: number): MadeKey;
  remove(id: string): void;
};

/** Stored keys, and besides them those that live as long as this process. */
export function withTemporaryKeys(stored: Keys): { keys: Keys; temporary: TemporaryKeys } {
  const made = new Map<string, MadeKey>();
  const isTaken = (workspaceId: string, device: string | undefined) =>
    made.values().some(({ row }) => row.workspace_id === workspaceId && row.device === device);
  const keys: Keys = {
    ...stored,
    async make(workspaceId, wanted, nowMs) {
      return isTaken(workspaceId, wanted.device) ? "device-taken" : stored.make(workspaceId, wanted, nowMs);
    },
    find: async (key) => made.values().find((one) => one.key === key)?.row ?? stored.find(key),
    bind: async (id, device) => (made.has(id) ? made.get(id)?.row.device === device : stored.bind(id, device)),
    seen: async (id, nowMs) => (made.has(id) ? undefined : stored.seen(id, nowMs)),
    has: async (id) => made.has(id) || stored.has(id),
    async there(ids) {
      const own = ids.filter((id) => made.has(id));
      return new Set([...own, ...(await stored.there(ids.filter((id) => !made.has(id))))]);
    },
  };
  const temporary: TemporaryKeys = {
    make(workspaceId, device, nowMs) {
      const row: KeyRow = {
        ...{ id: randomUUID(), workspace_id: workspaceId, name: `Simulator ${device}`, device, gateway: 0 },
        ...{ created_at_ms: nowMs, last_seen_at_ms: null },
      };
      const one = { key: newSecret("bpd_"), row };
      made.set(row.id, one);
      return one;
    },
    remove: (id) => void made.delete(id),
  };
  return { keys, temporary };
}
