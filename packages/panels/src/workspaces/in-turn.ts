import { Problem } from "@backplane/kit/problems";

/** Runs what is given for one key one after the other; other keys do not wait for it. */
export type InTurn = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

export function createTurns(maxWaiting: number): InTurn {
  const lines = new Map<string, { last: Promise<unknown>; waiting: number }>();
  return async (key, work) => {
    const line = lines.get(key) ?? { last: Promise.resolve(), waiting: 0 };
    if (line.waiting >= maxWaiting) {
      throw new Problem("too-many-requests", {
        detail: `${maxWaiting} changes of this workspace wait already.`,
        headers: { "retry-after": "1" },
      });
    }
    line.waiting += 1;
    lines.set(key, line);
    const done = line.last.then(work);
    line.last = done.catch(() => {});
    try {
      return await done;
    } finally {
      line.waiting -= 1;
      if (line.waiting === 0) lines.delete(key);
    }
  };
}
