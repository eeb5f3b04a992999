import { spawn } from "node:child_process";
import { constants } from "node:os";
import process from "node:process";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
const sameSignalMs = 1_000;
const parentCheckMs = 250;

/**
 * Runs a program to its end and gives its exit code (128 + number for a signal). The child is in a process group of
 * its own: a Ctrl-C in the terminal, which goes to the whole foreground group, and again from npm, reaches it once,
 * from here. Its channel closes when this process is killed; see end-with-parent.mjs.
 */
export function runChild(command, args, { endGroup = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ["inherit", "inherit", "inherit", "ipc"],
      detached: true,
      env: { ...process.env, ENDS_WITH_PID: String(process.pid) },
    });
    let forwardedMs = Number.NEGATIVE_INFINITY;
    const forward = (signal) => {
      const nowMs = performance.now();
      if (nowMs - forwardedMs < sameSignalMs) return;
      forwardedMs = nowMs;
      child.kill(signal);
    };
    for (const signal of signals) process.on(signal, forward);
    // When npm is killed with SIGKILL, it forwards no signal.
    const parent = process.ppid;
    const watch = setInterval(() => process.ppid !== parent && forward("SIGTERM"), parentCheckMs);
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      for (const name of signals) process.off(name, forward);
      clearInterval(watch);
      if (endGroup) killGroup(child.pid);
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}

/** Ends what the child started and did not end itself. */
function killGroup(pid) {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}
