import { parseArgs } from "node:util";

export type Options = {
  quick: boolean;
  jsonFile: string | undefined;
  only: string | undefined;
  holdS: number | undefined;
  filters: readonly string[];
};

export const usage = `Usage: npm run bench -- [NAME…] [--only CASE] [--hold SECONDS] [--quick] [--json FILE]

  NAME            only benches whose name contains it (http, database, bus …)
  --only CASE     one case of a bench that has several (gateway: memory, deliver, cycle, latency, sockets;
                  intents: create, poll, caller, streams, waiters)
  --hold SECONDS  how long a case that holds connections holds them
  --quick         fewer and shorter repetitions, to try a bench; not for figures
  --json FILE     also write every repetition, as measured`;

export function parseOptions(args: string[]): Options {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      json: { type: "string" },
      only: { type: "string" },
      hold: { type: "string" },
    },
  });
  const { quick, json: jsonFile, only, hold } = values;
  return { quick, jsonFile, only, holdS: hold === undefined ? undefined : readSeconds(hold), filters: positionals };
}

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds > 0) return seconds;
  throw new Error(`--hold is "${text}", not a number of seconds: use one such as 60.`);
}
