import { runCases } from "./harness/run-cases.ts";
import type { Session } from "./harness/session.ts";
import { board } from "./kicad/board-case.ts";
import { read } from "./kicad/read-case.ts";

/** KiCad's files compared with kicadts: reading schematics, and showing boards. */
export const run = (session: Session): Promise<void> => runCases("kicad", session, { read, board });
