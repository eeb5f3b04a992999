import type { Report } from "./report.ts";
import { runCommand } from "./run-command.ts";
import type { Step } from "./steps.ts";
import { add, type Failure, nothing, type Tally } from "./tally.ts";

/** Runs a task when there is room for it. All phases share one, so that no core idles at the end of one of them. */
export type Pool = <T>(task: () => Promise<T>) => Promise<T>;

export type Result = { tally: Tally; failures: Failure[] };

/** Runs commands side by side and reports them in their order, each as one test. */
export async function runSteps(
  steps: readonly Step[],
  { pool, report, signal }: { pool: Pool; report: Report; signal: AbortSignal },
  timeoutMs: number,
): Promise<Result> {
  const runs = steps.map((step) =>
    pool(() => runCommand(step.program, step.args, { timeoutMs, signal, env: step.env })),
  );
  let tally = nothing;
  const failures: Failure[] = [];
  for (const [index, step] of steps.entries()) {
    const result = await runs[index];
    if (result === undefined) continue;
    const detail = step.hasResult ? (result.output.trimEnd().split("\n").at(-1) ?? "") : "";
    report.step(result.ok ? "ok" : "failed", step.name, detail, result.durationMs);
    if (!result.ok) {
      report.output(result.output);
      failures.push({ name: step.name, where: commandLine(step), details: "" });
    }
    tally = add(tally, { passed: result.ok ? 1 : 0, failed: result.ok ? 0 : 1, skipped: 0 });
  }
  return { tally, failures };
}

function commandLine({ program, args }: Step): string {
  const cwd = `${process.cwd()}/`;
  return [program, ...args].join(" ").replaceAll(cwd, "");
}
