import { readdirSync, readFileSync } from "node:fs";
import { BenchFault } from "./fault.ts";

export type ProcessIdentity = {
  pid: number;
  /** In clock ticks since boot; together with the pid it is unique, because pids are reused. */
  startedAtTicks: number;
};

/** The process and all its descendants: a server may leave its work to children. */
export function processTree(root: number): ProcessIdentity[] {
  const all = everyProcess();
  const tree: ProcessIdentity[] = [];
  const collect = (pid: number) => {
    for (const found of all) {
      if (found.pid === pid) tree.push({ pid, startedAtTicks: found.startedAtTicks });
      else if (found.parent === pid) collect(found.pid);
    }
  };
  collect(root);
  return tree;
}

export function isRunning({ pid, startedAtTicks }: ProcessIdentity): boolean {
  const found = describe(pid);
  return found !== undefined && found.startedAtTicks === startedAtTicks && !found.hasEnded;
}

function everyProcess() {
  let names: string[];
  try {
    names = readdirSync("/proc");
  } catch {
    throw new BenchFault("The benches read a server's CPU time from /proc, so they need Linux.");
  }
  return names
    .filter((name) => /^\d+$/.test(name))
    .map((name) => describe(Number(name)))
    .filter((found) => found !== undefined);
}

function describe(pid: number) {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // proc(5): the second field is the program's name in brackets, which may itself contain spaces and brackets.
  const [state = "", parent, ...others] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { pid, parent: Number(parent), startedAtTicks: Number(others[17]), hasEnded: state === "Z" || state === "X" };
}
