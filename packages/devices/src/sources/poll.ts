import { pause } from "../authority/stopper.ts";

/** Does something every so often, one after the other, until the signal. `count` is 0 the first time. */
export async function poll(
  everyMs: number,
  signal: AbortSignal,
  work: (count: number) => Promise<void>,
): Promise<void> {
  for (let count = 0; !signal.aborted; count += 1) {
    const startMs = performance.now();
    await work(count);
    await pause(Math.max(0, everyMs - (performance.now() - startMs)), signal);
  }
}
