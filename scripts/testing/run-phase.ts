import { groupKey, readCpuLog } from "./cpu-time.ts";
import type { FileResult } from "./group-record.ts";
import { type PhaseLimits, slowestShown } from "./limits.ts";
import { groupFiles } from "./own-process.ts";
import type { FileCost, Report } from "./report.ts";
import { runGroup } from "./run-group.ts";
import type { Pool, Result } from "./run-steps.ts";
import { add, nothing } from "./tally.ts";

export type PhaseRun = {
  pool: Pool;
  report: Report;
  signal: AbortSignal;
  everyTime: boolean;
  /** How far each phase is, for the progress line. */
  progress: Map<string, string>;
};

export type PhaseResult = Result & { cpuS: number };

/** Runs test files, counting them on the way. */
export async function runPhase(
  name: string,
  files: readonly string[],
  limits: PhaseLimits,
  { pool, report, signal, everyTime, progress }: PhaseRun,
): Promise<PhaseResult> {
  const startedMs = performance.now();
  const running = new Set<string>();
  let done = 0;
  let failed = 0;
  const show = () => {
    const faults = failed === 0 ? "" : `, ${failed} failed`;
    const now = running.size === 0 ? "" : `, running ${[...running].join(", ")}`;
    progress.set(name, `${name} ${done} of ${files.length}${faults}${now}`);
  };
  const groups = groupFiles(files, limits.groupSize);
  const ran = await Promise.all(
    groups.map((group) =>
      pool(async () => {
        const label = group.length === 1 ? `${group[0]}` : `${group[0]} and ${group.length - 1} more`;
        running.add(label);
        show();
        const results = signal.aborted ? [] : await runGroup(group, limits, signal);
        running.delete(label);
        done += group.length;
        failed += results.reduce((sum, { tally }) => sum + tally.failed, 0);
        show();
        return results;
      }),
    ),
  );
  progress.delete(name);
  const results = ran.flat();
  const tally = results.reduce((sum, result) => add(sum, result.tally), nothing);
  const tests = tally.passed + tally.failed + tally.skipped;
  const note = `${tests} tests in ${files.length} files`;
  report.step(tally.failed === 0 ? "ok" : "failed", name, note, performance.now() - startedMs);
  const log = readCpuLog(process.env.TEST_CPU_LOG ?? "");
  report.files(costliestFirst(results, log).slice(0, everyTime ? files.length : slowestShown));
  const cpuS = groups.reduce((sum, group) => sum + (log.get(groupKey(group)) ?? 0), 0);
  return { tally, failures: results.flatMap((result) => result.failures), cpuS };
}

function costliestFirst(results: readonly FileResult[], seconds: ReadonlyMap<string, number>): FileCost[] {
  const costs = results.map(({ file, durationMs = 0 }) => ({ file, ms: durationMs, cpuS: seconds.get(file) }));
  return costs.sort((a, b) => (b.cpuS ?? b.ms / 1000) - (a.cpuS ?? a.ms / 1000));
}
