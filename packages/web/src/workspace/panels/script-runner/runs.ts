import type { ScriptRun } from "@backplane/contract/panels";
import { createListeners } from "@backplane/kit/concurrency";

/** Scripts that ended in this page, for whoever waits for one: a lesson asks for them. */
const ended = createListeners<ScriptRun>((error) => reportError(error));

export const onScriptRun = (listener: (run: ScriptRun) => void): (() => void) => ended.add(listener);

const MAX_TEXT = 1_000;

/** `json`: of its default export. Undefined: it has none. */
export function tellScriptRun(path: string, isOk: boolean, json: string | undefined): void {
  ended.emit({ path, isOk, result: plainOf(json) });
}

function plainOf(json: string | undefined): ScriptRun["result"] {
  const value: unknown = json === undefined ? null : JSON.parse(json);
  if (typeof value === "string") return value.slice(0, MAX_TEXT);
  return typeof value === "number" || typeof value === "boolean" ? value : null;
}
