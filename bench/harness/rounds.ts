import { BenchFault } from "./fault.ts";
import { defaultRepetitions, droppedRepetitions, minRepetitions, quickRepetitions } from "./limits.ts";
import type { Measurement, Round } from "./round.ts";
import type { Session } from "./session.ts";

/** What one contestant did in one repetition. */
export type Contest = {
  title: string;
  labels: readonly string[];
  /** Those that count. */
  repetitions?: number;
  measure: (label: string) => Promise<Measurement>;
};

/** Each repetition has every contestant once, another one first each time: what disturbs the machine meets them all. */
export async function runRounds(session: Session, contest: Contest): Promise<Round[]> {
  const { title, labels, measure } = contest;
  const repetitions = session.quick ? quickRepetitions : (contest.repetitions ?? defaultRepetitions);
  if (!session.quick && repetitions < minRepetitions) {
    throw new BenchFault(`${title}: ${repetitions} repetitions say too little; take ${minRepetitions} or more.`);
  }
  const rounds: Round[] = [];
  const total = droppedRepetitions + repetitions;
  for (let index = 0; index < total; index++) {
    const measurements: Record<string, Measurement> = {};
    for (const label of rotate(labels, index)) {
      session.signal.throwIfAborted();
      session.progress(`${title}: repetition ${index + 1} of ${total}, ${label}`);
      measurements[label] = checked(title, label, await measure(label));
    }
    rounds.push({ dropped: index < droppedRepetitions, measurements });
  }
  return rounds;
}

function rotate<T>(list: readonly T[], by: number): T[] {
  const first = by % list.length;
  return [...list.slice(first), ...list.slice(0, first)];
}

function checked(title: string, label: string, measurement: Measurement): Measurement {
  const { operations, wallS, cpuS } = measurement;
  if (operations > 0 && wallS > 0 && cpuS > 0) return measurement;
  throw new BenchFault(`${title}: ${label} did ${operations} operations in ${wallS} s with ${cpuS} s of CPU time.`);
}
