import { spawn } from "node:child_process";
import { root } from "./files.ts";
import type { Step } from "./steps.ts";

export type CommandResult = { ok: boolean; output: string; durationMs: number };

/** Runs a program to its end, keeping what it prints. A time-out or an abort is a failure that says so. */
export async function runCommand(
  command: string,
  args: readonly string[],
  { timeoutMs, signal, env }: { timeoutMs: number; signal: AbortSignal; env?: Step["env"] },
): Promise<CommandResult> {
  const startedMs = performance.now();
  const ends = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const { promise, resolve } = Promise.withResolvers<{ ok: boolean; note: string }>();
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    signal: ends,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text: string) => {
      output += text;
    });
  }
  child.once("error", (error) => resolve({ ok: false, note: ends.aborted ? reason(ends) : error.message }));
  child.once("close", (code, signalName) => {
    resolve({
      ok: code === 0,
      note: code === null ? `Ended by ${signalName}.` : code === 0 ? "" : `Exit code ${code}.`,
    });
  });
  const { ok, note } = await promise;
  return { ok, output: note === "" ? output : `${output}${note}\n`, durationMs: performance.now() - startedMs };
}

function reason(signal: AbortSignal): string {
  return signal.reason instanceof DOMException && signal.reason.name === "TimeoutError"
    ? "Took too long and was ended."
    : "Interrupted.";
}
