import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../../scripts/services/index.ts";
import { type Kept, keep } from "../../scripts/services/kept.ts";
import { BenchFault } from "./fault.ts";
import { probeTimeoutMs, readyPollMs, startTimeoutMs } from "./limits.ts";
import { isRunning, processTree } from "./process-tree.ts";

/** How it shows that it is up: an address that answers with success, or a line that it prints. */
export type Ready = { readyUrl: (port: number) => string } | { readyLine: RegExp };

export type ServerOptions = {
  label: string;
  command: string;
  /** Absolute paths, or those of `files`: it runs in a temporary folder. */
  args: (port: number) => readonly string[];
  /** Written into that folder before it starts: name and content. */
  files?: (port: number) => Readonly<Record<string, string>>;
  /** Besides PORT and what this process has. */
  env?: (port: number) => Readonly<Record<string, string>>;
  /** Instead of the usual time: for one that has a lot to read first. */
  readyWithinMs?: number;
} & Ready;

export type RunningServer = {
  label: string;
  url: string;
  port: number;
  /** Its own and those of its children, as of now; none once it has ended. */
  pids(): number[];
  [Symbol.asyncDispose](): Promise<void>;
};

/** Starts a server on a free port and waits until it answers. Its keeper ends it, however this process ends. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { label, command, args, files, env } = options;
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "backplane-bench-"));
  for (const [name, content] of Object.entries(files?.(port) ?? {})) writeFileSync(join(folder, name), content);
  const program = { command, args: [...args(port)], folder, env: { ...env?.(port), PORT: String(port) } };
  const kept = keep({ ...program, endSignal: "SIGTERM" });
  const server: RunningServer = {
    label,
    url: `http://127.0.0.1:${port}`,
    port,
    pids: () => treeOf(kept).map(({ pid }) => pid),
    [Symbol.asyncDispose]: () => end(kept),
  };
  try {
    await kept.start();
    await untilReady(options, kept, port, join(folder, "log"));
    return server;
  } catch (error) {
    await end(kept);
    throw error;
  }
}

function treeOf(kept: Kept) {
  const pid = kept.pid();
  return pid === undefined ? [] : processTree(pid);
}

async function end(kept: Kept): Promise<void> {
  const family = treeOf(kept);
  await kept.close();
  // A killed parent leaves its children behind.
  for (const member of family) if (isRunning(member)) process.kill(member.pid, "SIGKILL");
}

async function untilReady(options: ServerOptions, kept: Kept, port: number, logFile: string): Promise<void> {
  const { readyWithinMs = startTimeoutMs } = options;
  const deadlineMs = performance.now() + readyWithinMs;
  while (performance.now() < deadlineMs) {
    if (kept.pid() === undefined) throw new BenchFault(`${options.label} ended while it started:\n${kept.logTail()}`);
    if ("readyUrl" in options ? await answers(options.readyUrl(port)) : hasPrinted(options.readyLine, logFile)) return;
    await delay(readyPollMs);
  }
  throw new BenchFault(`${options.label} was not up after ${readyWithinMs / 1_000} s:\n${kept.logTail()}`);
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(probeTimeoutMs) })).ok;
  } catch {
    return false;
  }
}

function hasPrinted(line: RegExp, logFile: string): boolean {
  try {
    return readFileSync(logFile, "utf8")
      .split("\n")
      .some((printed) => line.test(printed));
  } catch {
    return false;
  }
}
