import type { IntentRequest } from "@backplane/contract/intents";
import type { Answer, Fault } from "../calls/call.ts";
import { faultWords } from "../calls/fault-words.ts";

export type Decision = "approve" | "deny";

/** What the page shows. `request` is the last known state of the sign-in request. */
export type View =
  | { is: "loading" }
  | { is: "signed-out" }
  | { is: "unknown" }
  /** No answer so far. */
  | { is: "silent"; fault: Fault }
  /** `stale`: the last poll got no answer, so the callers may have changed. */
  | { is: "asking"; request: IntentRequest; stale: boolean }
  | { is: "done" | "used" | "denied" | "expired"; request: IntentRequest | undefined };

const endings = new Set<View["is"]>(["done", "used", "denied", "expired", "unknown"]);

/** Later answers do not change it. */
export const isEnded = (view: View): boolean => endings.has(view.is);

const requestOf = (view: View): IntentRequest | undefined => ("request" in view ? view.request : undefined);

/** The view after a poll. `tried` is a decision that was sent but not confirmed. */
export function afterPoll(before: View, answer: Answer<IntentRequest>, tried: Decision | undefined): View {
  if (isEnded(before)) return before;
  if (!answer.ok) return afterFault(before, answer.fault);
  const request = answer.value;
  switch (request.state) {
    case "pending":
      return { is: "asking", request, stale: false };
    case "authenticated":
      return { is: tried === "approve" ? "done" : "used", request };
    default:
      return { is: request.state, request };
  }
}

/** The view after a decision; unchanged when the decision did not arrive. */
export function afterDecision(before: View, answer: Answer<unknown>, decision: Decision): View {
  const request = requestOf(before);
  if (answer.ok) return { is: decision === "approve" ? "done" : "denied", request };
  return afterFault(before, answer.fault);
}

const faultEndings: Record<string, "used" | "denied" | "expired"> = {
  "intent-linked": "used",
  "intent-denied": "denied",
  "intent-expired": "expired",
  "session-ended": "used",
};

function afterFault(before: View, fault: Fault): View {
  const ending = faultEndings[fault.code];
  if (ending) return { is: ending, request: requestOf(before) };
  if (fault.status === 401) return { is: "signed-out" };
  if (fault.status === 404) return { is: "unknown" };
  if (before.is === "asking") return { ...before, stale: true };
  return { is: "silent", fault };
}

/** Why a decision was not accepted. The page stays open, so that it can be sent again. */
export function decisionFault(fault: Fault): string {
  if (fault.code === "wrong-code") return "The code has changed. Compare it with the one that the program shows.";
  if (fault.status >= 400 && fault.status < 500) return `Your decision was not accepted. ${faultWords(fault)}`;
  return "Backplane did not answer, so your decision may not have arrived. Try again; nothing is approved twice.";
}
