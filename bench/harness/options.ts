import { parseArgs } from "node:util";

export type Options = {
  quick: boolean;
  jsonFile: string | undefined;
  only: string | undefined;
  holdS: number | undefined;
  upTo: number | undefined;
  filters: readonly string[];
};

export const usage = `Usage: npm run bench -- [NAME…] [--only CASE] [--hold SECONDS] [--up-to SIZE] [--quick] [--json FILE]

  NAME            only benches whose name contains it (http, database, bus …)
  --only CASE     one case of a bench that has several (gateway: memory, deliver, cycle, latency, sockets;
                  intents: create, poll, caller, streams, waiters;
                  growth: packages, workspaces, log, sessions, sockets, screenshots, devices)
  --hold SECONDS  how long a case that holds connections holds them
  --up-to SIZE    growth: leaves out larger sizes
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
      "up-to": { type: "string" },
    },
  });
  const { quick, json: jsonFile, only, hold, "up-to": upTo } = values;
  return {
    ...{ quick, jsonFile, only, filters: positionals },
    holdS: hold === undefined ? undefined : readCount("--hold", hold, "seconds"),
    upTo: upTo === undefined ? undefined : readCount("--up-to", upTo, "things"),
  };
}

function readCount(option: string, text: string, unit: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new Error(`${option} is "${text}", not a number of ${unit}: use one such as 60.`);
}
