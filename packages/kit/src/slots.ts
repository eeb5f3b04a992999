/** Limits what runs at once, or the bytes it takes, per label and in total. */
export type Slots = {
  /** Undefined: limit reached. The returned function releases what was taken. */
  take(label: string, size?: number): (() => void) | undefined;
  count(): number;
};

export function createSlots(perLabel: number, inAll: number): Slots {
  const taken = new Map<string, number>();
  let count = 0;
  return {
    take(label, size = 1) {
      const own = taken.get(label) ?? 0;
      if (own + size > perLabel || count + size > inAll) return undefined;
      taken.set(label, own + size);
      count += size;
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        count -= size;
        const left = (taken.get(label) ?? size) - size;
        if (left > 0) taken.set(label, left);
        else taken.delete(label);
      };
    },
    count: () => count,
  };
}
