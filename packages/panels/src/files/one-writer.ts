import { createHash, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Claims } from "@backplane/kit/bus";
import { queueByKey } from "@backplane/kit/concurrency";
import { Problem } from "@backplane/kit/problems";

/** Shorter than others wait: a change that was cut off by the end of its process is made again by the next instance. */
const CLAIM_LIFE_MS = 8_000;
const EXTEND_EVERY_MS = 2_000;
const MAX_WAIT_MS = 10_000;
const RETRY_MS = 15;
/** Changes that wait for one file in this process. */
const MAX_WAITING = 100;

export type OneWriter = <T>(folder: string, path: string, work: () => Promise<T>) => Promise<T>;

type Time = { now(): number; wait(ms: number): Promise<unknown> };

const realTime: Time = { now: () => performance.now(), wait: pause };

/**
 * Changes to one file run one at a time, on all instances together, so that nobody else writes between a change's look at
 * the file and its writing. Within this process they queue; between instances the bus decides.
 */
export function createOneWriter(claims: Claims, { now, wait }: Time = realTime): OneWriter {
  const queue = queueByKey({ maxWaiting: MAX_WAITING, whenFull: busy });

  async function withClaim<T>(key: string, work: () => Promise<T>): Promise<T> {
    const holder = randomUUID();
    const untilMs = now() + MAX_WAIT_MS;
    while (!(await claims.claim(key, holder, CLAIM_LIFE_MS))) {
      if (now() > untilMs) throw busy();
      await wait(RETRY_MS);
    }
    const extending = setInterval(() => {
      // The bus itself reports that it is down.
      claims.exchange(key, holder, holder, CLAIM_LIFE_MS).catch(() => false);
    }, EXTEND_EVERY_MS);
    try {
      return await work();
    } finally {
      clearInterval(extending);
      await claims.release(key, holder);
    }
  }

  return (folder, path, work) => {
    // In lower case: on some systems two spellings are one file.
    const key = `file:${createHash("sha256").update(`${folder}\0${path}`.toLowerCase()).digest("base64url")}`;
    return queue.run(key, () => withClaim(key, work));
  };
}

const busy = (): Problem =>
  new Problem("too-many-requests", {
    detail: "Others are changing this file. Try again in a moment.",
    headers: { "retry-after": "1" },
  });
