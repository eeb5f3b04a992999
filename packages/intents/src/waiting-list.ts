import type { EventStream } from "@backplane/kit/sse";

/** One open stream. There are thousands: it holds what is needed to answer, and nothing else of the request. */
export type Waiter = { readonly stream: EventStream; readonly token: string; readonly consumer: string };

export type WaitingList = ReturnType<typeof createWaitingList>;

/** The open streams of this instance, by the hash of their intent. */
export function createWaitingList() {
  const byHash = new Map<string, { readonly expiresAtMs: number; readonly waiters: Waiter[] }>();
  const expiryOrder = createExpiryOrder();

  function take(hash: string): readonly Waiter[] {
    const found = byHash.get(hash);
    if (!found) return [];
    byHash.delete(hash);
    expiryOrder.remove(hash, found.expiresAtMs);
    return found.waiters;
  }

  return {
    /** Removes and returns all streams of an intent. */
    take,
    has: (hash: string): boolean => byHash.has(hash),
    count: (hash: string): number => byHash.get(hash)?.waiters.length ?? 0,
    hashes: (): string[] => [...byHash.keys()],
    /** Intents whose time is over. Each is returned once; its streams stay in the list. */
    takeDue: expiryOrder.takeDue,

    add(hash: string, expiresAtMs: number, waiter: Waiter): void {
      const found = byHash.get(hash);
      if (found) found.waiters.push(waiter);
      else {
        byHash.set(hash, { expiresAtMs, waiters: [waiter] });
        expiryOrder.add(hash, expiresAtMs);
      }
    },

    remove(hash: string, waiter: Waiter): void {
      const waiters = byHash.get(hash)?.waiters;
      const at = waiters?.indexOf(waiter) ?? -1;
      if (waiters === undefined || at === -1) return;
      waiters.splice(at, 1);
      if (waiters.length === 0) take(hash);
    },
  };
}

/** Items that expire this close together are handled together. */
const SLOT_MS = 250;

/** Which items expire when. One timer is enough for any number of them. */
export type ExpiryOrder = {
  add(item: string, atMs: number): void;
  remove(item: string, atMs: number): void;
  /** Removes and returns the items that have expired, each at most SLOT_MS late and never early. */
  takeDue(nowMs: number): string[];
};

export function createExpiryOrder(): ExpiryOrder {
  const slots = new Map<number, Set<string>>();
  let earliest = Number.POSITIVE_INFINITY;
  const slotOf = (atMs: number): number => Math.ceil(atMs / SLOT_MS);

  return {
    add(item, atMs) {
      const slot = slotOf(atMs);
      const items = slots.get(slot);
      if (items) items.add(item);
      else slots.set(slot, new Set([item]));
      earliest = Math.min(earliest, slot);
    },

    remove(item, atMs) {
      const slot = slotOf(atMs);
      const items = slots.get(slot);
      if (items?.delete(item) && items.size === 0) slots.delete(slot);
    },

    takeDue(nowMs) {
      const current = Math.floor(nowMs / SLOT_MS);
      if (current < earliest) return [];
      const due: string[] = [];
      earliest = Number.POSITIVE_INFINITY;
      for (const [slot, items] of slots) {
        if (slot > current) {
          earliest = Math.min(earliest, slot);
          continue;
        }
        due.push(...items);
        slots.delete(slot);
      }
      return due;
    },
  };
}
