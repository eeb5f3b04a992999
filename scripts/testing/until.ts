import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 5;
const DEADLINE_MS = 120_000;

/** Waits until the condition holds, and fails with its description if it never does. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + DEADLINE_MS;
  while (!(await condition())) {
    if (performance.now() > deadlineMs) throw new Error(`this never happened: ${what}`);
    await sleep(POLL_MS);
  }
}

/** What the assertions return as soon as they hold; their last error if they never do. */
export async function untilAsserted<T>(assertions: () => T | Promise<T>): Promise<T> {
  const deadlineMs = performance.now() + DEADLINE_MS;
  for (;;) {
    try {
      return await assertions();
    } catch (error) {
      if (performance.now() > deadlineMs) throw error;
    }
    await sleep(POLL_MS);
  }
}
