import { BenchFault } from "./fault.ts";
import { collectGarbage } from "./garbage.ts";
import { quickSliceMs, sliceMs, warmUpSliceMs } from "./limits.ts";
import type { Measurement } from "./round.ts";
import { runRounds } from "./rounds.ts";
import type { Session } from "./session.ts";
import type { Target } from "./target.ts";

export type Subject = {
  label: string;
  /** Does `operationsPerBatch` operations and resolves when all are done; rejects when one did not have the right effect. */
  batch: () => Promise<void>;
};

export type CompareFunctionsOptions = {
  title: string;
  description: string;
  ours: Subject;
  peers: readonly Subject[];
  operationsPerBatch: number;
  unit?: string;
  repetitions?: number;
  targets?: readonly Target[];
};

/** Compares ways to do the same within this process, by operations per second of CPU time. */
export async function compareFunctions(session: Session, options: CompareFunctionsOptions): Promise<void> {
  const { title, description, ours, peers, operationsPerBatch, unit = "operations", repetitions, targets } = options;
  const subjects = new Map([ours, ...peers].map((subject) => [subject.label, subject]));
  if (subjects.size !== peers.length + 1) throw new BenchFault(`${title}: two contestants have the same label.`);
  const measure = (label: string, forMs: number) => {
    const subject = subjects.get(label);
    if (subject === undefined) throw new BenchFault(`${title}: there is no ${label}.`);
    return measureSlice(subject, operationsPerBatch, forMs);
  };
  for (const label of subjects.keys()) {
    session.signal.throwIfAborted();
    session.progress(`${title}: warming up ${label}`);
    await measure(label, session.quick ? quickSliceMs : warmUpSliceMs);
  }
  const rounds = await runRounds(session, {
    title,
    labels: [...subjects.keys()],
    measure: (label) => measure(label, session.quick ? quickSliceMs : sliceMs),
    ...(repetitions === undefined ? {} : { repetitions }),
  });
  session.report({
    ...{ title, description, unit, ours: ours.label, peers: peers.map(({ label }) => label), rounds },
    ...(targets === undefined ? {} : { targets }),
  });
}

async function measureSlice({ batch }: Subject, operationsPerBatch: number, forMs: number): Promise<Measurement> {
  // One contestant's garbage must not be collected during another's turn.
  collectGarbage();
  let operations = 0;
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  let wallMs = 0;
  while (wallMs < forMs) {
    await batch();
    operations += operationsPerBatch;
    wallMs = performance.now() - startMs;
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  return { operations, wallS: wallMs / 1_000, cpuS: (user + system) / 1_000_000 };
}
