import { createHash, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Claims } from "@backplane/kit/bus";
import { Problem } from "@backplane/kit/problems";

/** Far longer than reading and writing one file takes; whoever dies meanwhile is not waited for longer. */
const CLAIM_LIFE_MS = 30_000;
const MAX_WAIT_MS = 10_000;
const RETRY_MS = 15;
/** Changes that wait for one file in this process. */
const MAX_WAITING = 100;

export type OneAtATime = <T>(folder: string, path: string, work: () => Promise<T>) => Promise<T>;

/**
 * Of all changes to one file, on every instance, one runs at a time: between its look at the file and its writing nobody
 * else writes. In this process they stand in line; between instances the bus decides.
 */
export function createOneAtATime(claims: Claims): OneAtATime {
  const lines = new Map<string, { last: Promise<unknown>; waiting: number }>();

  async function claimed<T>(key: string, work: () => Promise<T>): Promise<T> {
    const holder = randomUUID();
    const untilMs = performance.now() + MAX_WAIT_MS;
    while (!(await claims.claim(key, holder, CLAIM_LIFE_MS))) {
      if (performance.now() > untilMs) throw busy();
      await pause(RETRY_MS);
    }
    try {
      return await work();
    } finally {
      await claims.release(key, holder);
    }
  }

  return async (folder, path, work) => {
    // In lower case: on some systems two spellings are one file.
    const key = `file:${createHash("sha256").update(`${folder}\0${path}`.toLowerCase()).digest("base64url")}`;
    const line = lines.get(key) ?? { last: Promise.resolve(), waiting: 0 };
    if (line.waiting === MAX_WAITING) throw busy();
    lines.set(key, line);
    line.waiting += 1;
    const mine = line.last.then(() => claimed(key, work));
    line.last = mine.catch(() => {});
    try {
      return await mine;
    } finally {
      line.waiting -= 1;
      if (line.waiting === 0) lines.delete(key);
    }
  };
}

const busy = (): Problem =>
  new Problem("too-many-requests", {
    detail: "Others are changing this file. Try again in a moment.",
    headers: { "retry-after": "1" },
  });
