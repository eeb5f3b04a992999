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
