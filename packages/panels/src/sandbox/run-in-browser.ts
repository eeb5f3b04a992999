import type { RunResult } from "@backplane/contract/panels";
import type { Live } from "../services.ts";
import { checkResult, withText } from "./check-result.ts";
import { prepareCode } from "./prepare/prepare-code.ts";

/** A browser tells itself that time is up; only if it does not, this much later, is it told here. */
const GRACE_MS = 1_000;

export type Run = { workspaceId: string; tabId: string; code: string; timeoutMs: number };

export type Ran =
  | { kind: "done"; result: RunResult; text: string }
  /** It has not been run, and may be later. */
  | { kind: "no-panel" }
  | { kind: "busy" };

const stoppedAfter = (timeoutMs: number): string =>
  `Stopped after ${timeoutMs / 1_000} s: the code did not finish. Reset the sandbox to go on.`;

/** Runs code in the one browser that answers for the workspace. */
export async function runInBrowser(live: Live, { workspaceId, tabId, code, timeoutMs }: Run): Promise<Ran> {
  const prepared = prepareCode(code);
  if (!prepared.ok) return { kind: "done", ...withText({ status: "error", error: prepared.error }) };
  const answer = await live.ask(
    workspaceId,
    { kind: "eval", tabId, code: prepared.code, isPrepared: prepared.isPrepared, timeoutMs },
    { timeoutMs: timeoutMs + GRACE_MS },
  );
  if (answer.ok) return { kind: "done", ...checkResult(answer.value) };
  switch (answer.reason) {
    case "no-browser":
      return { kind: "no-panel" };
    case "busy":
      return { kind: "busy" };
    case "timeout":
      return { kind: "done", ...withText({ status: "error", error: stoppedAfter(timeoutMs) }) };
    case "refused":
      if (answer.code === "not-mounted" || answer.code === "tab-unknown") return { kind: "no-panel" };
      return { kind: "done", ...withText({ status: "error", error: answer.detail }) };
  }
}
