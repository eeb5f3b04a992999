import { parseArgs } from "node:util";

export type Options = { quick: boolean; jsonFile: string | undefined; filters: readonly string[] };

export const usage = `Usage: npm run bench -- [NAME…] [--quick] [--json FILE]

  NAME         only benches whose name contains it (http, database, bus …)
  --quick      fewer and shorter repetitions, to try a bench; not for figures
  --json FILE  also write every repetition, as measured`;

export function parseOptions(args: string[]): Options {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { quick: { type: "boolean", default: false }, json: { type: "string" } },
  });
  return { quick: values.quick, jsonFile: values.json, filters: positionals };
}
