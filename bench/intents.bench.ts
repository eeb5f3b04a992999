import { BenchFault } from "./harness/fault.ts";
import type { Session } from "./harness/session.ts";
import { caller } from "./intents/cases/caller.ts";
import { create } from "./intents/cases/create.ts";
import { poll } from "./intents/cases/poll.ts";
import { streams } from "./intents/cases/streams.ts";
import { waiters } from "./intents/cases/waiters.ts";

type IntentsCase = (session: Session) => Promise<void>;

const cases: Readonly<Record<string, IntentsCase>> = { create, poll, caller, streams };
/** Too long for every run: only when it is named. */
const longCases: Readonly<Record<string, IntentsCase>> = { waiters };

/** Signing in beside a certified OpenID Connect provider, and waiting beside a message queue in C. */
export async function run(session: Session): Promise<void> {
  const all = { ...cases, ...longCases };
  if (session.only === undefined) {
    for (const runCase of Object.values(cases)) await runCase(session);
    return;
  }
  const chosen = all[session.only];
  if (chosen === undefined) {
    throw new BenchFault(
      `The intents' bench has no case "${session.only}". There are: ${Object.keys(all).join(", ")}.`,
    );
  }
  await chosen(session);
}
