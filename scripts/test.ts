// `npm test` and, with --check, `npm run check`: everything a contributor must pass, one line per step.
import { join } from "node:path";
import { limitConcurrency } from "../packages/kit/src/toolbox/concurrency.ts";
import { ensureBuilt } from "./bootstrap.mjs";
import { measureCpu } from "./testing/cpu-time.ts";
import { findFiles, type Phase, root } from "./testing/files.ts";
import {
  e2eLimits,
  exampleTimeoutMs,
  longStepTimeoutMs,
  type PhaseLimits,
  processes,
  refreshMs,
  stepConcurrency,
  stepTimeoutMs,
  unitLimits,
  waitingProcesses,
} from "./testing/limits.ts";
import { type Options, parseOptions, usage } from "./testing/options.ts";
import { createReport } from "./testing/report.ts";
import { type PhaseRun, runPhase } from "./testing/run-phase.ts";
import { type Result, runSteps } from "./testing/run-steps.ts";
import { useScratchFolder } from "./testing/scratch.ts";
import { servicesUp } from "./testing/services-up.ts";
import { type Step, staticSteps } from "./testing/steps.ts";
import { add, closingLine, exitCode, nothing } from "./testing/tally.ts";

process.chdir(root);
const report = createReport(process.stdout);
const interrupted = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => interrupted.abort());
const { signal } = interrupted;
/** Under test.mjs, which made a process group for this run and ends what is left of it. */
const supervised = process.connected === true;
if (supervised) process.env.TEST_RUNNER_GROUP = String(process.pid);
process.env.TEST_RUNNER_PID = String(process.pid);
// Every file is a separate process that compiles much the same code.
process.env.NODE_COMPILE_CACHE ??= join(root, "node_modules/.cache/backplane");

const checksPool = limitConcurrency({ atOnce: stepConcurrency });
const pool = limitConcurrency({ atOnce: processes });
const waitingPool = limitConcurrency({ atOnce: waitingProcesses });
const progress = new Map<string, string>();
const cpuS = new Map<string, number>();

async function main(options: Options): Promise<Result[]> {
  const files = (phase: Phase) => (options.phases.includes(phase) ? findFiles(phase, options.filters) : []);
  const [unit, conformance, examples, e2e] = [files("unit"), files("conformance"), files("examples"), files("e2e")];
  const run: PhaseRun = { pool, report, signal, everyTime: options.everyTime, progress };
  const results: Result[] = [];
  // No check needs what is built or a service, all tests do: those are made meanwhile.
  const build = ensureBuilt().then(
    () => undefined,
    (error: unknown) => failed("build", "scripts/bootstrap.mjs", error),
  );
  await using services = new AsyncDisposableStack();
  const start = () => servicesUp(report, { browser: e2e.length > 0 }).then((up) => services.use(up));
  const needServices = conformance.length + e2e.length > 0;
  const servicesFault = needServices
    ? start().then(
        () => undefined,
        (error: unknown) => failed("services", "scripts/services", error),
      )
    : undefined;
  if (options.checks) results.push(await runSteps(staticSteps(), { ...run, pool: checksPool }, stepTimeoutMs));
  const faults = await Promise.all([build, servicesFault]);
  results.push(...faults.filter((fault) => fault !== undefined));
  if (faults[0] !== undefined) return results;
  const hasServices = needServices && faults[1] === undefined;

  const refresh = setInterval(() => report.progress([...progress.values()].join("; ")), refreshMs);
  const waiting: PhaseRun = { ...run, pool: waitingPool };
  // The longest first: short ones fill the gaps at the end.
  const lanes = [
    lane("e2e", hasServices ? e2e : [], e2eLimits, run),
    lane("conformance", hasServices ? conformance : [], unitLimits, waiting),
    runSteps(examples.map(example), waiting, exampleTimeoutMs),
    lane("unit", unit, unitLimits, run),
  ];
  results.push(...(await Promise.all(lanes)));
  // Alone: it is about faults, not about a machine that has too much to do.
  for (const step of options.long && options.checks ? [cluster, soak] : [])
    if (!signal.aborted) results.push(await runSteps([step], run, longStepTimeoutMs));
  clearInterval(refresh);
  return results;
}

async function lane(name: string, files: readonly string[], limits: PhaseLimits, run: PhaseRun): Promise<Result> {
  if (files.length === 0 || signal.aborted) return { tally: nothing, failures: [] };
  const result = await runPhase(name, files, limits, run);
  cpuS.set(name, result.cpuS);
  return result;
}

function example(file: string) {
  return { name: file.replace("/main.ts", ""), program: process.execPath, args: [file] };
}

/** `npm run test:cluster`. */
const cluster: Step = { name: "cluster", program: process.execPath, args: ["e2e/cluster/run.ts"], hasResult: true };

/** `npm run test:soak`. */
const soak: Step = { name: "soak", program: process.execPath, args: ["e2e/soak/run.ts"], hasResult: true };

function failed(name: string, where: string, error: unknown): Result {
  const details = error instanceof Error ? error.message : String(error);
  report.step("failed", name, "", 0);
  const failure = { name, where, details };
  return { tally: { passed: 0, failed: 1, skipped: 0 }, failures: [failure] };
}

function cpuLine(totalS: number): string {
  const phases = [...cpuS].map(([name, seconds]) => `${name} ${Math.round(seconds)}`);
  return `CPU seconds: ${Math.round(totalS)} in all${phases.length === 0 ? "" : `; ${phases.join(", ")}`}`;
}

function optionsOrUsage(): Options | undefined {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}\n`);
    return undefined;
  }
}

const options = optionsOrUsage();
if (options === undefined) {
  process.exitCode = 2;
} else {
  if (options.long) process.env.TEST_LONG = "1";
  const scratch = useScratchFolder();
  const { value: results, seconds } = await measureCpu(() => main(options));
  // When interrupted, its keeper removes it later: ended processes may still be writing there.
  if (!signal.aborted) await scratch[Symbol.asyncDispose]();
  const tally = results.reduce((sum, result) => add(sum, result.tally), nothing);
  report.failures(results.flatMap((result) => result.failures));
  if (tally.passed + tally.failed === 0) report.output("No test ran.");
  if (signal.aborted) report.output("Interrupted: not everything ran.");
  if (seconds !== undefined) report.output(cpuLine(seconds));
  report.closing(closingLine(tally));
  // `exitCode` alone is not enough: a test that ignores its end would keep this process alive.
  process.stdout.write("", () => leave(signal.aborted ? 130 : exitCode(tally)));
}

function leave(code: number): void {
  if (supervised && !process.connected) process.kill(-process.pid, "SIGKILL");
  process.exit(code);
}
