import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { type Refusal, refuse } from "../refusal.ts";
import type { Running } from "../run.ts";
import { table } from "../terminal.ts";

export type SystemOptions = { dryRun?: boolean; root?: string; json?: boolean };

/** What was done to a file, an account or a unit, or would be. */
export type Step = { what: string; did: string };

/** The system to work on: this one, or one in a folder, where nothing runs. */
export type System = {
  isThisMachine: boolean;
  /** Whether systemd manages this machine. */
  isManaged: boolean;
  isDryRun: boolean;
  steps: Step[];
  path(name: string): string;
  /** Changes something, unless it is a dry run, and notes it. */
  step(what: string, did: string, change: () => void): void;
  /** Runs a program of this machine. Undefined: done; otherwise why not. */
  run(program: string, ...args: string[]): string | undefined;
};

export function openSystem(host: NodeJS.Process, { root, dryRun = false }: SystemOptions): System | Refusal {
  const folder = root === undefined ? "/" : resolve(host.cwd(), root);
  const isThisMachine = folder === "/";
  if (isThisMachine && !dryRun && host.getuid?.() !== 0) {
    return refuse(
      "root-needed",
      "Only root may change the services of this machine.",
      "Run it with sudo, or try --dry-run.",
    );
  }
  const steps: Step[] = [];
  return {
    ...{ isThisMachine, steps, isDryRun: dryRun },
    isManaged: isThisMachine && existsSync("/run/systemd/system"),
    path: (name) => (isThisMachine ? join(folder, name) : pathInside(folder, name)),
    step(what, did, change) {
      if (!dryRun) change();
      steps.push({ what, did });
    },
    run(program, ...args) {
      if (dryRun) return undefined;
      const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
      if (error !== undefined) return error.message;
      return status === 0 ? undefined : stderr.trim() || `${program} ended with code ${status}`;
    },
  };
}

/** A link in an image, which somebody else may have made, would lead to a place of this machine. */
class OutsideRoot extends Error {
  override name = "OutsideRoot";
  readonly code = "refused";
}

function pathInside(root: string, name: string): string {
  const path = join(root, name);
  let there = path;
  while (lstatSync(there, { throwIfNoEntry: false }) === undefined) there = dirname(there);
  if (there.length <= root.length) return path;
  // A link may lead to what is not there yet.
  const real = existsSync(there) ? realpathSync(there) : resolve(realpathSync(dirname(there)), readlinkSync(there));
  if (real.startsWith(realpathSync(root) + sep)) return path;
  throw new OutsideRoot(
    `${there} is a link that leads out of ${root}. Nothing more was changed. Remove it, or use chroot.`,
  );
}

/** Says what was done and what comes next. */
export function reportSteps({ out, answer }: Running, { steps, isDryRun }: System, next: readonly string[]): void {
  answer({ dryRun: isDryRun, steps, next }, () => {
    if (isDryRun) out.line("Nothing was changed. This would be done:");
    for (const line of table(steps.map(({ what, did }) => [did, what]))) out.line(line);
    out.line();
    for (const line of next) out.hint(line);
  });
}
