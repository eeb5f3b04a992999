import { readCpuLog } from "./cpu-time.ts";
import type { FileResult } from "./group-record.ts";
import { type PhaseLimits, refreshMs, slowestShown } from "./limits.ts";
import { groupFiles } from "./own-process.ts";
import { pooled } from "./pooled.ts";
import type { FileCost, Report } from "./report.ts";
import { runGroup } from "./run-group.ts";
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
  let done = 0;
  let failed = 0;
  const show = () => {
    const faults = failed === 0 ? "" : `, ${failed} failed`;
    report.progress(name, `${done} of ${files.length} files${faults}; running ${[...running].join(", ")}`);
  };
  const refresh = setInterval(show, refreshMs);
  const ran = await Promise.all(
    pooled(groupFiles(files, limits.groupSize), limits.concurrency, async (group) => {
      const label = group.length === 1 ? `${group[0]}` : `${group[0]} and ${group.length - 1} more`;
      running.add(label);
      const results = await runGroup(group, limits, signal);
      running.delete(label);
      done += group.length;
      failed += results.reduce((sum, { tally }) => sum + tally.failed, 0);
      return results;
    }),
  );
  clearInterval(refresh);
  const results = ran.flat();
  const tally = results.reduce((sum, result) => add(sum, result.tally), nothing);
  const tests = tally.passed + tally.failed + tally.skipped;
  const note = `${tests} tests in ${files.length} files`;
  report.step(tally.failed === 0 ? "ok" : "failed", name, note, performance.now() - startedMs);
  report.files(costliestFirst(results).slice(0, everyTime ? files.length : slowestShown));
  return { tally, failures: results.flatMap((result) => result.failures) };
}

function costliestFirst(results: readonly FileResult[]): FileCost[] {
  const seconds = readCpuLog(process.env.TEST_CPU_LOG ?? "");
  const costs = results.map(({ file, durationMs = 0 }) => ({ file, ms: durationMs, cpuS: seconds.get(file) }));
  return costs.sort((a, b) => (b.cpuS ?? b.ms / 1000) - (a.cpuS ?? a.ms / 1000));
}
