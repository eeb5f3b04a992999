import { BenchFault } from "./fault.ts";
import { defaultRepetitions, droppedRepetitions, minRepetitions, quickRepetitions } from "./limits.ts";
import { type Measurement, type Round, together } from "./round.ts";
import type { Session } from "./session.ts";

export type Contest = {
  title: string;
  labels: readonly string[];
  /** Those that count. */
  repetitions?: number;
} & (
  | {
      /** What one contestant did in one turn. */
      measure: (label: string) => Promise<Measurement>;
      /** In each repetition. With several, a machine that is slow for a second is slow for all contestants. */
      turns?: number;
    }
  | {
      /** Results of contestants that run at the same time, because they mostly wait. */
      measureTogether: (labels: readonly string[]) => Promise<Record<string, Measurement>>;
    }
);

/** Each repetition runs every contestant once, with a different one first, so that disturbances affect all of them. */
export async function runRounds(session: Session, contest: Contest): Promise<Round[]> {
  const { title, labels } = contest;
  const repetitions = session.quick ? quickRepetitions : (contest.repetitions ?? defaultRepetitions);
  if (!session.quick && repetitions < minRepetitions) {
    throw new BenchFault(`${title}: ${repetitions} repetitions are too few; use ${minRepetitions} or more.`);
  }
  const rounds: Round[] = [];
  const total = droppedRepetitions + repetitions;
  for (let index = 0; index < total; index++) {
    const order = rotate(labels, index);
    const name = `${title}: repetition ${index + 1} of ${total}`;
    session.signal.throwIfAborted();
    session.progress(name);
    const measurements =
      "measureTogether" in contest
        ? await contest.measureTogether(order)
        : await byTurns(session, name, order, contest);
    for (const label of labels) check(title, label, measurements[label]);
    rounds.push({ dropped: index < droppedRepetitions, measurements });
  }
  return rounds;
}

async function byTurns(
  session: Session,
  name: string,
  labels: readonly string[],
  { measure, turns = 1 }: { measure: (label: string) => Promise<Measurement>; turns?: number },
): Promise<Record<string, Measurement>> {
  const measured = new Map<string, Measurement[]>();
  for (let turn = 0; turn < (session.quick ? 1 : turns); turn += 1) {
    for (const label of labels) {
      session.signal.throwIfAborted();
      session.progress(`${name}, ${label}`);
      measured.set(label, [...(measured.get(label) ?? []), await measure(label)]);
    }
  }
  return Object.fromEntries([...measured].map(([label, all]) => [label, together(all)]));
}

function rotate<T>(list: readonly T[], by: number): T[] {
  const first = by % list.length;
  return [...list.slice(first), ...list.slice(0, first)];
}

function check(title: string, label: string, measurement: Measurement | undefined): void {
  const { operations = 0, wallS = 0, cpuS = 0 } = measurement ?? {};
  if (operations > 0 && wallS > 0 && cpuS > 0) return;
  throw new BenchFault(`${title}: ${label} did ${operations} operations in ${wallS} s with ${cpuS} s of CPU time.`);
}
