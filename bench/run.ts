// `npm run bench`: every *.bench.ts of this folder, one after the other; exit code 1 when one of them failed.
import { readdirSync, writeFileSync } from "node:fs";
import { ensureBuilt } from "../scripts/bootstrap.mjs";
import { BenchFault } from "./harness/fault.ts";
import { describeMachine } from "./harness/machine.ts";
import { type Options, parseOptions, usage } from "./harness/options.ts";
import { createSession, type Session } from "./harness/session.ts";

const ENDING = ".bench.ts";
const EXIT = { failed: 1, badUsage: 2, interrupted: 130 } as const;

type BenchModule = { run: (session: Session) => Promise<void> };

async function main({ jsonFile, filters, ...options }: Options): Promise<number> {
  const names = findBenches(filters);
  await ensureBuilt();
  const interruption = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => interruption.abort());
  const session = createSession(options, interruption.signal);
  const machine = describeMachine();
  const { cores, node, processor, memoryGb, loadAverage } = machine;
  console.log(`${cores} cores of ${processor}, ${memoryGb} GB, Node ${node}, load average ${loadAverage}\n`);

  const failed: string[] = [];
  for (const name of names) {
    if (session.signal.aborted) break;
    try {
      const bench = (await import(`./${name}${ENDING}`)) as BenchModule;
      await bench.run(session);
    } catch (error) {
      if (session.signal.aborted) break;
      failed.push(name);
      session.clearProgress();
      console.error(`${name} failed: ${sentenceOf(error)}\n`);
    }
  }
  if (jsonFile !== undefined) {
    const { quick, results, verdicts } = session;
    writeFileSync(jsonFile, `${JSON.stringify({ machine, quick, results, verdicts }, undefined, 2)}\n`);
  }
  session.clearProgress();
  const ending = session.signal.aborted ? ", interrupted" : "";
  console.log(`${session.results.length} comparisons, ${failed.length} failed${missedTargets(session)}${ending}`);
  if (session.signal.aborted) return EXIT.interrupted;
  return failed.length > 0 ? EXIT.failed : 0;
}

function findBenches(filters: readonly string[]): string[] {
  const all = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length));
  const unknown = filters.find((filter) => !all.some((name) => name.includes(filter)));
  if (unknown !== undefined) throw new BenchFault(`No bench is called "${unknown}". There are: ${all.join(", ")}.`);
  return filters.length === 0 ? all : all.filter((name) => filters.some((filter) => name.includes(filter)));
}

/** A missed target is reported, but is not a failure: readers decide what a figure must be. */
function missedTargets({ verdicts }: Session): string {
  const targets = verdicts.filter(({ isStretch }) => !isStretch);
  const missed = targets.filter(({ holds }) => holds === false).length;
  const open = targets.filter(({ holds }) => holds === undefined).length;
  const left = open === 0 ? "" : ` and ${open} left open`;
  return targets.length === 0 ? "" : `, ${missed} of ${targets.length} targets missed${left}`;
}

/** A bench fault is a sentence; other errors are shown with their stack. */
function sentenceOf(error: unknown): string {
  if (error instanceof BenchFault) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

try {
  process.exitCode = await main(parseOptions(process.argv.slice(2)));
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  process.exitCode = EXIT.badUsage;
}
