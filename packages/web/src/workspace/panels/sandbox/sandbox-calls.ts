import type { EvalResult, SandboxAction } from "@backplane/contract/panels";
import { call, type Fault } from "../../../calls/call.ts";
import { faultWords } from "../../../calls/fault-words.ts";
import { panelRoute } from "../../calls.ts";
import type { PanelContext } from "../../panel.ts";

/** The routes that programs use. A tab may be named instead of the panel it is in. */
export function sandboxCalls({ workspace, tabId }: PanelContext) {
  const path = panelRoute("sandbox", workspace);
  const patch = <Answer>(body: SandboxAction) => call<Answer>({ method: "PATCH", path, body });
  return {
    run: (code: string) => patch<EvalResult>({ panelId: tabId, action: "eval", code }),
    reset: () => patch<undefined>({ panelId: tabId, action: "reset" }),
  };
}

/** What is wrong with the field says more than that something is. */
export const wordsOf = (fault: Fault): string => fault.errors[0]?.message ?? fault.detail ?? faultWords(fault);
