import { CallError } from "@backplane/sdk";
import { CONNECT_EXIT, type Refusal } from "../connect/refusal.ts";
import { plain } from "../pkg/words.ts";

const NEXT_STEPS: Readonly<Record<string, string>> = {
  "panel-type-unknown": "See those there are with: backplane panel catalog",
  "singleton-panel": "Show it with: --reuse",
};
/** What needs somebody at the page. */
const AT_THE_PAGE: Readonly<Record<string, string>> = {
  "no-browser-session": "Open it in a browser, and keep it open:",
  "sharing-required": "Press Share there, then run this again:",
};

/** Refusals whose next step is a command of ours, not a field of the call. Undefined: the refusal says it all. */
export function inOwnWords(error: unknown, page: string): Refusal | undefined {
  if (!(error instanceof CallError) || error.problemCode === undefined) return undefined;
  const there = AT_THE_PAGE[error.problemCode];
  const next = there === undefined ? NEXT_STEPS[error.problemCode] : `${there} ${page}`;
  if (next === undefined) return undefined;
  const said = error.problemCode === "panel-type-unknown" ? "The catalog has no panel of that name." : error.message;
  return { code: error.problemCode, message: `${plain(said)}\n${next}`, exit: CONNECT_EXIT.failed };
}
