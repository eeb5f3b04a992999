// `npm test` and, with --check, `npm run check`: everything a contributor must pass, one line a step.
import { join } from "node:path";
import { createCpuMeter } from "./testing/cpu-time.ts";
import { findFiles, type Phase, root, runsAlone } from "./testing/files.ts";
import {
  aloneLimits,
  conformanceLimits,
  e2eLimits,
  exampleTimeoutMs,
  type PhaseLimits,
  unitLimits,
} from "./testing/limits.ts";
import { type Options, parseOptions, usage } from "./testing/options.ts";
import { createReport } from "./testing/report.ts";
import { type PhaseRun, runPhase } from "./testing/run-phase.ts";
import { type Result, runSteps } from "./testing/run-steps.ts";
import { useScratchFolder } from "./testing/scratch.ts";
import { servicesUp } from "./testing/services-up.ts";
import { staticSteps } from "./testing/steps.ts";
import { add, closingLine, exitCode, nothing } from "./testing/tally.ts";

process.chdir(root);
const report = createReport(process.stdout);
const interrupted = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => interrupted.abort());
const { signal } = interrupted;
const cpu = createCpuMeter();
/** Under test.mjs, which made a process group for this run and ends what is left of it. */
const supervised = process.connected === true;
if (supervised) process.env.TEST_RUNNER_GROUP = String(process.pid);
process.env.TEST_RUNNER_PID = String(process.pid);
// Every file is a process of its own that reads much the same text.
process.env.NODE_COMPILE_CACHE ??= join(root, "node_modules/.cache/backplane");

async function main(options: Options): Promise<Result[]> {
  const files = (phase: Phase) => (options.phases.includes(phase) ? findFiles(phase, options.filters) : []);
  const [unit, conformance, examples, e2e] = [files("unit"), files("conformance"), files("examples"), files("e2e")];
  const results: Result[] = [];
  const run: PhaseRun = { report, signal, everyTime: options.everyTime };

  if (options.checks) results.push(await cpu.measure("checks", () => runSteps(staticSteps(), report, signal)));
  results.push(...(await lane("unit", unit, unitLimits, run)));
  if (conformance.length + examples.length + e2e.length === 0 || signal.aborted) return results;

  try {
    await using _services = await servicesUp(report, { browser: e2e.length > 0 });
    results.push(...(await lane("conformance", conformance, conformanceLimits, run)));
    if (!signal.aborted) {
      const steps = examples.map(example);
      results.push(await cpu.measure("examples", () => runSteps(steps, report, signal, exampleTimeoutMs)));
    }
    results.push(...(await endToEnd(e2e, run)));
  } catch (error) {
    results.push(servicesFailed(error));
  }
  return results;
}

/** In one pool, as they wait more than they work; those that measure times have the machine to themselves. */
async function endToEnd(files: readonly string[], run: PhaseRun): Promise<Result[]> {
  const beside = files.filter((file) => !runsAlone(file));
  const alone = files.filter(runsAlone);
  return [...(await lane("e2e", beside, e2eLimits, run)), ...(await lane("e2e alone", alone, aloneLimits, run))];
}

async function lane(name: string, files: readonly string[], limits: PhaseLimits, run: PhaseRun): Promise<Result[]> {
  if (files.length === 0 || signal.aborted) return [];
  return [await cpu.measure(name, () => runPhase(name, files, limits, run))];
}

function example(file: string) {
  return { name: file.replace("/main.ts", ""), program: process.execPath, args: [file] };
}

function servicesFailed(error: unknown): Result {
  const details = error instanceof Error ? error.message : String(error);
  report.step("failed", "services", "", 0);
  const failure = { name: "services", where: "scripts/services", details };
  return { tally: { passed: 0, failed: 1, skipped: 0 }, failures: [failure] };
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
  const results = await main(options);
  // Interrupted, its keeper removes it after us: what was ended may still be writing there.
  if (!signal.aborted) await scratch[Symbol.asyncDispose]();
  const tally = results.reduce((sum, result) => add(sum, result.tally), nothing);
  report.failures(results.flatMap((result) => result.failures));
  if (tally.passed + tally.failed === 0) report.output("No test ran.");
  if (signal.aborted) report.output("Interrupted: not everything ran.");
  report.output(cpu.line());
  report.closing(closingLine(tally));
  // Not `exitCode` alone: a test that ignores its end would hold this process.
  process.stdout.write("", () => leave(signal.aborted ? 130 : exitCode(tally)));
}

function leave(code: number): void {
  if (supervised && !process.connected) process.kill(-process.pid, "SIGKILL");
  process.exit(code);
}
