import { commands } from "./cli/commands-case.ts";
import type { Session } from "./harness/session.ts";

/** Commands compared with the Node that they run on. */
export const run = (session: Session): Promise<void> => commands(session);
