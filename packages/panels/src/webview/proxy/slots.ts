/** Limits what runs at once, per label and in total. */
export type Slots = {
  /** Undefined: limit reached. The returned function releases the slot. */
  take(label: string): (() => void) | undefined;
  count(): number;
};

export function createSlots(perLabel: number, inAll: number): Slots {
  const taken = new Map<string, number>();
  let count = 0;
  return {
    take(label) {
      const own = taken.get(label) ?? 0;
      if (own >= perLabel || count >= inAll) return undefined;
      taken.set(label, own + 1);
      count += 1;
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        count -= 1;
        const left = (taken.get(label) ?? 1) - 1;
        if (left > 0) taken.set(label, left);
        else taken.delete(label);
      };
    },
    count: () => count,
  };
}
