import { runCases } from "./harness/run-cases.ts";
import type { Session } from "./harness/session.ts";
import { burst, evals } from "./panels/evals.ts";
import { paint } from "./panels/paint.ts";
import { pan } from "./panels/pan.ts";
import { shots } from "./panels/shots.ts";

/** A workspace in a real browser, driven over HTTP, compared with Playwright's own access to the same page. */
export const run = (session: Session): Promise<void> =>
  runCases("panels", session, { evals, burst, shots, paint, pan });
