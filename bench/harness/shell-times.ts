import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { BenchFault } from "./fault.ts";
import type { Measurement } from "./round.ts";

const run = promisify(execFile);

type Options = { env?: NodeJS.ProcessEnv; cwd?: string };

/**
 * The time of a script of the shell, in which "$@" are the words. The shell reports the CPU time of its children, which nobody
 * else can read once they have ended.
 */
export async function timeOfShell(
  script: string,
  words: readonly string[],
  options: Options = {},
): Promise<Pick<Measurement, "wallS" | "cpuS">> {
  const startMs = performance.now();
  const { stdout } = await run("sh", ["-ec", `${script}; times`, "sh", ...words], options);
  const wallS = (performance.now() - startMs) / 1_000;
  const parts = [...(stdout.trim().split("\n").at(-1) ?? "").matchAll(/(\d+)m([\d.]+)s/g)];
  if (parts.length !== 2) throw new BenchFault(`The shell did not say how long it took, but: ${stdout.slice(0, 200)}`);
  return { wallS, cpuS: parts.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0) };
}
