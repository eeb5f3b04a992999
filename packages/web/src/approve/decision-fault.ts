import type { Fault } from "../calls/call.ts";
import { faultWords } from "../calls/fault-words.ts";

/** Why an answer to a program was not taken. The page stays as it is, so that it can be given again. */
export function decisionFault(fault: Fault): string {
  if (fault.code === "wrong-code") return "The code has changed. Compare it again with the one that the program shows.";
  if (fault.status >= 400 && fault.status < 500) return `Your answer was not taken. ${faultWords(fault)}`;
  return "No answer came, so it is not known whether yours arrived. Try again; nothing is approved twice.";
}
