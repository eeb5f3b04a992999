import type { EvalResult, RunResult } from "@backplane/contract/panels";
import { Problem } from "@backplane/kit/problems";
import type { Services } from "../services.ts";
import { withText } from "./check-result.ts";
import type { EvalQueue } from "./eval-queue.ts";
import { prepareCode } from "./prepare/prepare-code.ts";
import { type Run, runInBrowser } from "./run-in-browser.ts";

export type Evaluated = { result: EvalResult; text: string };

/** Runs code now where a browser shows the panel; else keeps it, with what was sent before it, until one does. */
export async function evaluate(
  { live }: Pick<Services, "live">,
  queue: EvalQueue,
  run: Run,
  onResult: (result: RunResult) => void,
): Promise<Evaluated> {
  if (queue.isWaiting(run)) return enqueue(queue, run);
  const ran = await runInBrowser(live, run);
  switch (ran.kind) {
    case "done":
      onResult(ran.result);
      return ran;
    case "no-panel":
      return enqueue(queue, run);
    case "busy":
      throw new Problem("browser-busy", {
        detail: "The browser runs as much code as it may. Wait for some of it to end.",
        headers: { "retry-after": "1" },
      });
  }
}

/** What cannot be run is told now, not when a browser opens. */
async function enqueue(queue: EvalQueue, run: Run): Promise<Evaluated> {
  const prepared = prepareCode(run.code);
  if (!prepared.ok) return withText({ status: "error", error: prepared.error });
  const result: EvalResult = { status: "queued", id: await queue.add(run) };
  return { result, text: JSON.stringify(result) };
}
