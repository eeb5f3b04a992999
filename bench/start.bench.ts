import { runCases } from "./harness/run-cases.ts";
import type { Session } from "./harness/session.ts";
import { memory } from "./start/memory-case.ts";
import { warm } from "./start/warm-case.ts";

/** Everything that `backplane up` starts, with nothing to do. */
export const run = (session: Session): Promise<void> => runCases("start", session, { memory, warm });
