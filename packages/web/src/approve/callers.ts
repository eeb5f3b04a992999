import type { IntentCaller } from "@backplane/contract/intents";

const numbers = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"];

const numberWord = (count: number): string => numbers[count] ?? String(count);

type Warning = { strong: string; rest: string };

/** What to beware of before approving: more than one who waits, or one who was never seen before. */
export function warningOf(callers: readonly IntentCaller[]): Warning | undefined {
  if (callers.length > 1) {
    return {
      strong: `${numberWord(callers.length)} callers wait on this link.`,
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

/** What has to be ticked before Approve works; undefined when nothing has to. */
export function oathOf(callers: readonly IntentCaller[]): string | undefined {
  if (callers.length < 2) return undefined;
  const all = callers.length === 2 ? "both" : `all ${numberWord(callers.length).toLowerCase()}`;
  return `I know ${all} addresses and want to approve.`;
}

/** Changes whenever somebody else waits: what was ticked for fewer does not hold for more. */
export const callersKey = (callers: readonly IntentCaller[]): string =>
  callers
    .map(({ address, program }) => `${address} ${program ?? ""}`)
    .sort()
    .join("\n");
