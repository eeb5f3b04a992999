import { progressEveryMs, quietMs } from "./limits.ts";

/** Runs the work; says what it is once it takes longer than a second, and how long it took in the end. */
export async function withProgress<T>(what: string, work: () => Promise<T>): Promise<T> {
  const startedMs = performance.now();
  const seconds = () => `${((performance.now() - startedMs) / 1000).toFixed(0)} s`;
  let said = false;
  const first = setTimeout(() => {
    said = true;
    process.stderr.write(`${what} …\n`);
  }, quietMs);
  const again = setInterval(() => process.stderr.write(`${what} … ${seconds()}\n`), progressEveryMs);
  try {
    const result = await work();
    if (said) process.stderr.write(`${what}: done in ${seconds()}.\n`);
    return result;
  } finally {
    clearTimeout(first);
    clearInterval(again);
  }
}
