import { collectGarbage } from "../harness/garbage.ts";
import type { Measurement } from "../harness/round.ts";

/** One after the other; set-up and clean-up between them are not timed. `run` may return how many bytes it wrote. */
export async function measureAll<T>(items: readonly T[], act: Act<T>): Promise<Measurement> {
  collectGarbage();
  let wallMs = 0;
  let cpuMicros = 0;
  let bytes = 0;
  for (const item of items) {
    const { run, after } = await act(item);
    const cpu = process.cpuUsage();
    const startMs = performance.now();
    const made = await run();
    wallMs += performance.now() - startMs;
    if (typeof made === "number") bytes += made;
    const { user, system } = process.cpuUsage(cpu);
    cpuMicros += user + system;
    await after?.();
  }
  return {
    operations: items.length,
    wallS: wallMs / 1_000,
    cpuS: Math.max(cpuMicros, 1) / 1_000_000,
    ...(bytes > 0 ? { bytesEach: bytes / items.length } : {}),
  };
}

type Act<T> = (item: T) => Promise<{ run: () => Promise<unknown>; after?: () => Promise<void> }>;
