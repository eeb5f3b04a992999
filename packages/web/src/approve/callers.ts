import type { IntentCaller } from "@backplane/contract/intents";
import { numberWord, sentenceCase } from "../parts/words.ts";

type Warning = { strong: string; rest: string };

/** What to check before approving: several callers, or an address that was never used before. */
export function warningOf(callers: readonly IntentCaller[]): Warning | undefined {
  if (callers.length > 1) {
    return {
      strong: `${sentenceCase(numberWord(callers.length))} callers are waiting on this link.`,
      rest: `Only one gets the session. If you started one program and see ${callers.length === 2 ? "a second" : "another"} address that you do not know, deny and start again.`,
    };
  }
  const [caller] = callers;
  if (!caller?.is_new_address) return undefined;
  return {
    strong: "This address is new.",
    rest: `None of your sessions has been used from ${caller.address}. If your program does not run there, deny.`,
  };
}

/** The checkbox that enables Approve; undefined when none is needed. */
export function confirmationOf(callers: readonly IntentCaller[]): string | undefined {
  if (callers.length < 2) return undefined;
  const all = callers.length === 2 ? "both" : `all ${numberWord(callers.length)}`;
  return `I know ${all} addresses and want to approve.`;
}

/** Changes when the callers change: a box that was ticked for two does not count for three. */
export const callersKey = (callers: readonly IntentCaller[]): string =>
  callers
    .map(({ address, program }) => `${address} ${program ?? ""}`)
    .sort()
    .join("\n");
