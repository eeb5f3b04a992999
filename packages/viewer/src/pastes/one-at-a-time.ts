import { Problem } from "@backplane/kit/problems";

export type OneAtATime = {
  /** Of all work on one screenshot, one piece is done at a time, in the order they came. */
  alone<T>(id: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
};

export function createOneAtATime(maxWaiting: number): OneAtATime {
  const lines = new Map<string, { last: Promise<unknown>; waiting: number }>();
  return {
    async alone(id, work) {
      const line = lines.get(id) ?? { last: Promise.resolve(), waiting: 0 };
      if (line.waiting >= maxWaiting) {
        const detail = "This screenshot has many changes waiting. Try again in a moment.";
        throw new Problem("too-many-requests", { detail, headers: { "retry-after": "1" } });
      }
      lines.set(id, line);
      line.waiting += 1;
      const mine = line.last.then(work);
      line.last = mine.catch(() => undefined);
      try {
        return await mine;
      } finally {
        line.waiting -= 1;
        if (line.waiting === 0) lines.delete(id);
      }
    },
    async idle() {
      while (lines.size > 0) await Promise.all([...lines.values()].map((line) => line.last));
    },
  };
}
