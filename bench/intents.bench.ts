import { runCases } from "./harness/run-cases.ts";
import type { Session } from "./harness/session.ts";
import { caller } from "./intents/cases/caller.ts";
import { create } from "./intents/cases/create.ts";
import { poll } from "./intents/cases/poll.ts";
import { streams } from "./intents/cases/streams.ts";
import { waiters } from "./intents/cases/waiters.ts";

/** Signing in compared with a certified OpenID Connect provider, and waiting compared with a message queue in C. */
export const run = (session: Session): Promise<void> =>
  runCases("intents", session, { create, poll, caller, streams }, { waiters });
