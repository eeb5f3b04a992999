import { BenchFault } from "./fault.ts";
import type { Session } from "./session.ts";

export type Case = (session: Session) => Promise<void>;
export type Cases = Readonly<Record<string, Case>>;

/** All cases of an area, or the one that was named. Long ones run only when they are named. */
export async function runCases(area: string, session: Session, cases: Cases, longCases: Cases = {}): Promise<void> {
  if (session.only === undefined) {
    for (const runCase of Object.values(cases)) await runCase(session);
    return;
  }
  const all = { ...cases, ...longCases };
  const chosen = all[session.only];
  if (chosen === undefined) {
    throw new BenchFault(`The ${area} bench has no case "${session.only}". There are: ${Object.keys(all).join(", ")}.`);
  }
  await chosen(session);
}
