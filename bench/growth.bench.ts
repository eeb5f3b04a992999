import { devices } from "./growth/devices.ts";
import { log } from "./growth/log.ts";
import { packages } from "./growth/packages.ts";
import { screenshots } from "./growth/screenshots.ts";
import { sessions, sessionsOnPostgres } from "./growth/sessions.ts";
import { sockets } from "./growth/sockets.ts";
import { tabs } from "./growth/tabs.ts";
import { workspaces } from "./growth/workspaces.ts";
import { runCases } from "./harness/run-cases.ts";
import type { Session } from "./harness/session.ts";

/** What things cost when there are more and more of them. */
export const run = (session: Session): Promise<void> =>
  runCases("growth", session, {
    ...{ packages, workspaces, tabs, log, sessions, "sessions-postgres": sessionsOnPostgres },
    ...{ sockets, screenshots, devices },
  });
