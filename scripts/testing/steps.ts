import { join } from "node:path";
import { foldersWithSources, root } from "./files.ts";

/** A check that is one command on the project's own Node, and counts as one test. */
export type Step = {
  name: string;
  program: string;
  args: readonly string[];
  /** Beside that of the run. */
  env?: Readonly<Record<string, string>>;
  /** Its last line is its result, and is shown also when it succeeds. */
  hasResult?: boolean;
};

/** tsc collects its garbage less often, which takes a sixth of its time, unless it needs much memory. */
const tscEnv = { GOGC: "400", GOMEMLIMIT: "2GiB" };

const bin = (name: string) => join(root, "node_modules/.bin", name);

/** In the order they are printed. */
export function staticSteps(): Step[] {
  // One checker each: several of them check the same types again, and two steps run at a time.
  const tsc = (name: string, folder: string): Step => ({
    name,
    program: bin("tsc"),
    args: ["-p", folder, "--checkers", "1"],
    env: tscEnv,
  });
  const typed = [tsc("types", "."), tsc("types e2e", "e2e"), tsc("types web", "packages/web")];
  const present = new Set(foldersWithSources(["e2e", "packages/web"]));
  return [
    ...typed.filter(({ args }) => args[1] === "." || present.has(String(args[1]))),
    { name: "lint", program: bin("biome"), args: ["ci", "--colors=off", "."] },
    { name: "arrows", program: process.execPath, args: [join(root, "scripts/arrows.ts"), "--check"] },
    { name: "dead code", program: bin("knip"), args: ["--no-progress", "--no-config-hints"] },
  ];
}
