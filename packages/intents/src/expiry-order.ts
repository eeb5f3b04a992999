/** Ends that lie this close together are looked after together. */
const SLOT_MS = 250;

/** What ends when: one timer looks after any number. */
export type ExpiryOrder = {
  add(item: string, atMs: number): void;
  remove(item: string, atMs: number): void;
  /** Takes out all whose time has come; each within SLOT_MS of it. */
  takeDue(nowMs: number): string[];
};

export function createExpiryOrder(): ExpiryOrder {
  const slots = new Map<number, Set<string>>();
  let earliest = Number.POSITIVE_INFINITY;
  // Rounded up: nobody is told before the time.
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
