import type { OrderFault, WorkspaceParams } from "@backplane/contract/panels";
import { type FieldFault, Problem, type ProblemCode } from "@backplane/kit/problems";
import type { Answered } from "./services.ts";

/** 422 for fields of a body that the schema alone cannot judge. */
export function invalidFields(errors: readonly FieldFault[]): Problem {
  const [first] = errors;
  return new Problem("invalid-input", { detail: `${first?.pointer || "The body"} ${first?.message}.`, errors });
}

export const invalidField = (pointer: string, message: string): Problem => invalidFields([{ pointer, message }]);

export const workspaceRemoved = (): Problem =>
  new Problem("not-found", { detail: "This workspace was removed meanwhile." });

export const workspaceUnknown = ({ owner, repo }: WorkspaceParams): Problem =>
  new Problem("workspace-unknown", { detail: `There is no workspace ${owner}/${repo}. Check the name.` });

const CODES: Record<OrderFault, ProblemCode> = {
  "not-rendered": "not-rendered",
  "not-mounted": "not-rendered",
  "not-sharing": "sharing-required",
  "wrong-surface": "sharing-required",
  "shot-failed": "shot-failed",
  unsupported: "not-rendered",
  "tab-unknown": "tab-unknown",
  expired: "browser-timeout",
};

/** What a call can be answered with that a browser must carry out: what `browserProblem` returns, or an order that is too large. */
export const BROWSER_PROBLEMS: readonly ProblemCode[] = [
  ...Object.values(CODES),
  ...(["no-browser-session", "browser-busy", "browser-timeout", "outcome-unknown", "payload-too-large"] as const),
];

/** Why a browser did not do what it was asked, for the caller. */
export function browserProblem(answered: Exclude<Answered, { ok: true }>, retryAfterS = 1): Problem {
  switch (answered.reason) {
    case "no-browser":
      return new Problem("no-browser-session", { detail: "Open the workspace in a browser, then try again." });
    case "unreached":
      return new Problem("browser-timeout", { detail: "Nothing was done. Try again." });
    case "unknown":
      return new Problem("outcome-unknown", {
        detail:
          "The browser did not answer in time. It may have done this, or may still do it. Look before you try again.",
      });
    case "busy":
      return new Problem("browser-busy", { headers: { "retry-after": String(retryAfterS) } });
    case "refused":
      return new Problem(CODES[answered.code], { detail: answered.detail });
  }
}
