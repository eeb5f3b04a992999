// Parent of one service. It runs in its own session, ends the service and removes its folder as soon as the
// process that asked for it is gone: by close, by crash or by SIGKILL, which all close the channel between the two.
import { type ChildProcess, type StdioOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Order, Report, ServiceProgram } from "./kept.ts";
import { endTimeoutMs, settleMs, settleStepMs } from "./limits.ts";

const program: ServiceProgram = JSON.parse(process.argv[2] ?? "{}");
let child: ChildProcess | undefined;
let orderly = false;
let prepared = program.prepare === undefined;

function start(): void {
  const log = openSync(join(program.folder, "log"), "a");
  const options = {
    cwd: program.folder,
    stdio: ["ignore", log, log] satisfies StdioOptions,
    env: { ...process.env, ...program.env },
    ...program.user,
  };
  if (!prepared) {
    const [command = "", ...args] = program.prepare ?? [];
    const { status } = spawnSync(command, args, options);
    if (status !== 0) {
      report({ event: "ended", how: `${command} failed` });
      return;
    }
    prepared = true;
  }
  const started = spawn(program.command, program.args, options);
  closeSync(log);
  child = started;
  started.once("error", (error) => ended(error.message));
  started.once("exit", (code, signal) => ended(signal ?? `exit code ${code}`));
  if (started.pid !== undefined) report({ event: "started", pid: started.pid });
}

function ended(how: string): void {
  if (child === undefined) return;
  child = undefined;
  report({ event: "ended", how });
}

function report(message: Report): void {
  if (process.connected) process.send?.(message);
}

async function leave(): Promise<void> {
  if (child !== undefined) {
    const gone = once(child, "exit");
    child.kill(program.endSignal);
    const force = setTimeout(() => child?.kill("SIGKILL"), endTimeoutMs);
    await gone;
    clearTimeout(force);
  }
  if (program.afterwards !== undefined) {
    const [command = "", ...args] = program.afterwards;
    spawnSync(command, args, { stdio: "ignore", env: { ...process.env, ...program.env } });
  }
  removeFolder();
  // After a kill, other processes that write into the folder (a browser) end a moment later and may add files.
  for (let waitedMs = 0; !orderly && waitedMs < settleMs; waitedMs += settleStepMs) {
    await delay(settleStepMs);
    removeFolder();
  }
  process.exit(0);
}

function removeFolder(): void {
  try {
    rmSync(program.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  } catch {
    // Another process is still writing: try again in the next round.
  }
}

// Only the channel decides: a Ctrl-C meant for the tests, or a `kill` of their group, must not leave the service behind.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
process.on("message", (order: Order) => {
  if (order.order === "start") start();
  else if (order.order === "leave") orderly = true;
  else child?.kill(order.signal);
});
process.once("disconnect", leave);
