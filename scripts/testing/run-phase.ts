import { join } from "node:path";
import { readCpuLog } from "./cpu-time.ts";
import { root } from "./files.ts";
import { type PhaseLimits, refreshMs, slowestShown } from "./limits.ts";
import { pooled } from "./pooled.ts";
import type { FileCost, Report } from "./report.ts";
import { runFile } from "./run-file.ts";
import type { Result } from "./run-steps.ts";
import { add, nothing } from "./tally.ts";

export type PhaseRun = { report: Report; signal: AbortSignal; everyTime: boolean };

/** Runs test files, counting them on the way. */
export async function runPhase(
  name: string,
  files: readonly string[],
  limits: PhaseLimits,
  { report, signal, everyTime }: PhaseRun,
): Promise<Result> {
  const startedMs = performance.now();
  const running = new Set<string>();
  const durations = new Map<string, number>();
  let done = 0;
  let failed = 0;
  const show = () => {
    const faults = failed === 0 ? "" : `, ${failed} failed`;
    report.progress(name, `${done} of ${files.length} files${faults}; running ${[...running].join(", ")}`);
  };
  const refresh = setInterval(show, refreshMs);
  const results = await Promise.all(
    pooled(files, limits.concurrency, async (file) => {
      running.add(file);
      const fileStartedMs = performance.now();
      const result = await runFile(file, limits, signal);
      durations.set(file, performance.now() - fileStartedMs);
      running.delete(file);
      done += 1;
      failed += result.tally.failed;
      return result;
    }),
  );
  clearInterval(refresh);
  const tally = results.reduce((sum, result) => add(sum, result.tally), nothing);
  const tests = tally.passed + tally.failed + tally.skipped;
  const note = `${tests} tests in ${files.length} files`;
  report.step(tally.failed === 0 ? "ok" : "failed", name, note, performance.now() - startedMs);
  report.files(costliestFirst(durations).slice(0, everyTime ? files.length : slowestShown));
  return { tally, failures: results.flatMap((result) => result.failures) };
}

function costliestFirst(durations: ReadonlyMap<string, number>): FileCost[] {
  const seconds = readCpuLog(process.env.TEST_CPU_LOG ?? "");
  const costs = [...durations].map(([file, ms]) => ({ file, ms, cpuS: seconds.get(join(root, file)) }));
  return costs.sort((a, b) => (b.cpuS ?? b.ms / 1000) - (a.cpuS ?? a.ms / 1000));
}
