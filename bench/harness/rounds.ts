import { BenchFault } from "./fault.ts";
import { defaultRepetitions, droppedRepetitions, minRepetitions, quickRepetitions } from "./limits.ts";
import type { Measurement, Round } from "./round.ts";
import type { Session } from "./session.ts";

export type Contest = {
  title: string;
  labels: readonly string[];
  /** Those that count. */
  repetitions?: number;
} & (
  | {
      /** What one contestant did in one repetition. */
      measure: (label: string) => Promise<Measurement>;
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
        : await oneByOne(session, name, order, contest.measure);
    for (const label of labels) check(title, label, measurements[label]);
    rounds.push({ dropped: index < droppedRepetitions, measurements });
  }
  return rounds;
}

async function oneByOne(
  session: Session,
  name: string,
  labels: readonly string[],
  measure: (label: string) => Promise<Measurement>,
): Promise<Record<string, Measurement>> {
  const measurements: Record<string, Measurement> = {};
  for (const label of labels) {
    session.signal.throwIfAborted();
    session.progress(`${name}, ${label}`);
    measurements[label] = await measure(label);
  }
  return measurements;
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
