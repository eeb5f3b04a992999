import type { Bus } from "@backplane/kit/bus";
import { createListeners } from "@backplane/kit/concurrency";

/** A claim ends this long after it was last extended; it is given up earlier than that. */
const CLAIM_MS = 6_000;
const EXTEND_EVERY_MS = 1_500;
const GIVE_UP_AFTER_MS = 4_000;

/** Which workspaces' devices this instance holds. Of all instances on one bus, one at most holds those of a workspace. */
export type Holding = {
  /** False: another instance has them. */
  take(workspaceId: string): Promise<boolean>;
  release(workspaceId: string): Promise<void>;
  /** The claim was lost, or could not be extended in time: another instance may have it soon. */
  onLost(listener: (workspaceId: string) => void): () => void;
  close(): Promise<void>;
};

const keyOf = (workspaceId: string): string => `devices-holder:${workspaceId}`;

export function createHolding(
  { engine, claims }: Pick<Bus, "engine" | "claims">,
  instance: string,
  onFault: (error: unknown) => void,
): Holding {
  const lost = createListeners<string>(onFault);
  /** When each claim was last known to be ours. */
  const held = new Map<string, number>();
  // Within one process there is nobody else.
  const isAlone = engine === "in-process";

  async function extend(workspaceId: string): Promise<void> {
    const startedMs = performance.now();
    const isOurs = await claims
      .exchange(keyOf(workspaceId), instance, instance, CLAIM_MS)
      // The bus itself reports that it is down.
      .catch(() => undefined);
    const sinceMs = held.get(workspaceId);
    if (sinceMs === undefined) return;
    if (isOurs) held.set(workspaceId, startedMs);
    else if (isOurs === false || performance.now() - sinceMs > GIVE_UP_AFTER_MS) end(workspaceId);
  }

  function end(workspaceId: string): void {
    if (held.delete(workspaceId)) lost.emit(workspaceId);
  }

  function beat(): void {
    for (const [workspaceId, sinceMs] of held) {
      // An answer that does not come is no answer either.
      if (performance.now() - sinceMs > GIVE_UP_AFTER_MS) end(workspaceId);
      else void extend(workspaceId);
    }
  }
  const timer = isAlone ? undefined : setInterval(beat, EXTEND_EVERY_MS).unref();

  return {
    async take(workspaceId) {
      if (isAlone || held.has(workspaceId)) return true;
      const startedMs = performance.now();
      if (!(await claims.claim(keyOf(workspaceId), instance, CLAIM_MS))) return false;
      held.set(workspaceId, startedMs);
      return true;
    },
    async release(workspaceId) {
      if (held.delete(workspaceId)) await claims.release(keyOf(workspaceId), instance).catch(() => false);
    },
    onLost: lost.add,
    async close() {
      clearInterval(timer);
      await Promise.all(Array.from(held.keys(), (id) => claims.release(keyOf(id), instance).catch(() => false)));
      held.clear();
    },
  };
}
