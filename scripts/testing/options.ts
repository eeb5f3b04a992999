import { parseArgs } from "node:util";
import { type Phase, phases } from "./files.ts";

export type Options = {
  /** Types, lint, arrows, dead code: only in a whole run. */
  checks: boolean;
  phases: readonly Phase[];
  /** Parts of a path, any of which must occur in a test file's. */
  filters: readonly string[];
  /** With what takes long: see long.ts. */
  long: boolean;
  /** Prints the time of every file, not only of the slowest. */
  everyTime: boolean;
};

export const usage = `npm test                          everything
npm run test:long                 everything, with measures of quality, long random runs in full, and the cluster
npm run check                     the fast part: no services, no browser
npm test -- --only PHASE          one of ${phases.join(", ")}
npm test -- packages/kit/src/bus  the test files whose path holds this
npm test -- --times               also prints what every file took`;

/** Throws with a sentence on anything it does not know. */
export function parseOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string", multiple: true },
      check: { type: "boolean" },
      times: { type: "boolean" },
      long: { type: "boolean" },
    },
    allowPositionals: true,
  });
  const only = (values.only ?? []).map(phaseNamed);
  return {
    checks: only.length === 0 && positionals.length === 0,
    phases: only.length > 0 ? only : values.check === true ? ["unit"] : phases,
    filters: positionals,
    long: values.long === true,
    everyTime: values.times === true,
  };
}

function phaseNamed(name: string): Phase {
  const phase = phases.find((known) => known === name);
  if (phase === undefined) throw new Error(`--only ${name}: one of ${phases.join(", ")}.`);
  return phase;
}
