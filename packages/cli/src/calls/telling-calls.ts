import { CallError } from "@backplane/sdk";
import type { Refusal } from "../connect/refusal.ts";
import { countOf, plain } from "../pkg/words.ts";

/** What the shell is told of a refusal. */
export type CallExits = { usage: number; unreachable: number; notFound: number; failed: number };

/** What a call is refused, with every fault it names. What signing in refuses is told by who calls this. */
export async function tellingCalls(
  baseUrl: string,
  exits: CallExits,
  work: () => Promise<Refusal | number | undefined>,
): Promise<Refusal | number | undefined> {
  try {
    return await work();
  } catch (error) {
    // Told by who calls this, too: what somebody stopped has not failed.
    if (!(error instanceof CallError) || error.code === "aborted") throw error;
    const { code, problemCode = code, message } = error;
    const faults = error.faults.map(({ pointer, message: fault }) => ({
      pointer: plain(pointer),
      message: plain(fault),
    }));
    // The first fault is also what the message says: it need not be read twice.
    const said =
      faults.length > 0 ? `It is refused: ${countOf(faults.length, "fault")}.` : sentence(wordsOf(message, baseUrl));
    const exit = exitOf(error, exits);
    const lines = [said, ...nextSteps(error, baseUrl)];
    return { code: problemCode, message: lines.join("\n"), exit, ...(faults.length > 0 ? { faults } : {}) };
  }
}

/** The sdk speaks of its own options. */
const wordsOf = (message: string, baseUrl: string): string =>
  plain(message.replace("set allowHttp", "add --allow-http").replace(/\bbaseUrl\b/, baseUrl));

const sentence = (words: string): string => (/[.!?]$/.test(words) ? words : `${words}.`);

const NOT_FOUND = 404;

function nextSteps({ code, status }: CallError, baseUrl: string): string[] {
  if (code === "not-signed-in") return [`Run backplane login --url ${baseUrl}`];
  if (status === NOT_FOUND) return ["Check the spelling, and that the address is right: --url <url>"];
  if (code !== "unreachable") return [];
  return ["Start one on this machine with: backplane up", "Or give the address of another: --url <url>"];
}

function exitOf({ code, status }: CallError, exits: CallExits): number {
  if (code === "invalid-option") return exits.usage;
  if (code === "unreachable" || code === "temporary") return exits.unreachable;
  return status === NOT_FOUND ? exits.notFound : exits.failed;
}
