import { readFileSync } from "node:fs";
import { BenchFault } from "../harness/fault.ts";

/** The hard limit of open files. Node and nginx raise their own limit to it. */
export function openFileLimit(): number {
  const text = readFileSync("/proc/self/limits", "utf8");
  const limit = /^Max open files +\S+ +(\d+|unlimited)/m.exec(text)?.[1];
  if (limit === undefined) throw new BenchFault("The limit of open files is not in /proc/self/limits.");
  return limit === "unlimited" ? Number.MAX_SAFE_INTEGER : Number(limit);
}
