import { CallError } from "../calls/errors.ts";

/**
 * Every expected failure of driving a workspace. `problemCode` says which: `panel-unknown`, `wrong-panel-type`,
 * `singleton-panel`, `no-browser-session`, `sharing-required`, `not-rendered`, …
 */
export class PanelsError extends CallError {
  override name = "PanelsError";
}
