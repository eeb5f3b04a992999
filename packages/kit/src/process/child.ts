import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { scrub } from "../scrub.ts";
import { isProcessMessage, type ParentMessage, type ProcessMessage } from "./messages.ts";
import { claimPidFile, endLeftover, releasePidFile } from "./pid-file.ts";

/**
 * How our servers run Node. By default each half of V8's young generation has 16 MB: when ten thousand connections open
 * together, they are promoted to the old generation along with garbage, whose pages stay: 5.6 KB per event stream instead of 3.5.
 * Once started, a process collects its garbage (run-process.ts).
 */
export const NODE_FLAGS = ["--max-semi-space-size=4", "--expose-gc"] as const;

/** glibc otherwise gives threads memory of their own to allocate from, up to eight times the cores: 30 MB over all processes. */
const FEW_ARENAS = { MALLOC_ARENA_MAX: "2" } as const;

/** A longer line is cut: a child that prints without line breaks must not fill the parent's memory. */
const MAX_LINE_CHARACTERS = 64 * 1024;

export type ReadyMessage = Extract<ProcessMessage, { type: "ready" }>;

export type ChildOptions = {
  /** A module for the Node that runs this process. */
  program: string;
  environment: NodeJS.ProcessEnv;
  /** Names the child while it lives: a child that outlived its parent is found there and ended before the next start. */
  pidFile: string;
  /** A child that is not ready by then is killed. */
  startDeadlineMs: number;
  /** Every line it prints, with secrets scrubbed. */
  onLine: (line: string) => void;
  /** What the child reports about processes of its own. */
  onMessage?: (message: ProcessMessage) => void;
  /** Called once, with the reason in words. */
  onExit: (reason: string) => void;
};

export type Child = {
  readonly pid: number;
  /** Rejects with the reason when the child ends, or cannot be started, before it is ready. */
  readonly ready: Promise<ReadyMessage>;
  tell(message: ParentMessage): void;
  /** SIGTERM, and SIGKILL when it has not ended by the deadline. */
  end(deadlineMs: number): Promise<void>;
};

export async function startChild(options: ChildOptions): Promise<Child> {
  const { pidFile, startDeadlineMs, onExit } = options;
  await endLeftover(pidFile);
  const child = spawnChild(options);
  const pid = child.pid ?? 0;
  if (pid > 0) claimPidFile(pidFile, pid);
  const { promise: ready, resolve, reject } = Promise.withResolvers<ReadyMessage>();
  let failure: string | undefined;

  function exited(reason: string): void {
    clearTimeout(deadline);
    releasePidFile(pidFile, pid);
    onExit(reason);
    reject(new Error(reason));
  }

  const deadline = setTimeout(() => {
    failure = `did not come up within ${Math.round(startDeadlineMs / 1_000)} s`;
    child.kill("SIGKILL");
  }, startDeadlineMs);
  child.on("message", (message) => {
    if (!isProcessMessage(message)) return;
    if (message.type === "ready") {
      clearTimeout(deadline);
      resolve(message);
    } else if (message.type === "failed") failure = message.sentence;
    else options.onMessage?.(message);
  });
  child.on("error", (error) => {
    // It could not be started at all: there will be no "exit".
    if (pid === 0) exited(error.message);
  });
  child.once("exit", (code, signal) => {
    exited(failure ?? (signal ? `ended by ${signal}` : `exited with code ${code}`));
  });
  return {
    pid,
    ready,
    tell(message) {
      // It may end in the meantime: then nobody needs to know.
      if (child.connected) child.send(message, () => {});
    },
    end: (deadlineMs) => endChild(child, deadlineMs),
  };
}

async function endChild(child: ChildProcess, deadlineMs: number): Promise<void> {
  if (!child.pid || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const killer = setTimeout(() => child.kill("SIGKILL"), deadlineMs);
  await ended;
  clearTimeout(killer);
}

/** In a process group of its own: Ctrl-C in the terminal reaches the parent, which then ends its children in order. */
function spawnChild({ program, environment, onLine }: ChildOptions): ChildProcess {
  const child = spawn(process.execPath, [...NODE_FLAGS, program], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    detached: true,
    env: { ...FEW_ARENAS, ...environment },
  });
  const take = (line: string) => onLine(scrub(line));
  child.stdout?.setEncoding("utf8").on("data", splitLines(take));
  child.stderr?.setEncoding("utf8").on("data", splitLines(take));
  return child;
}

/** Turns chunks of text into whole lines. */
export function splitLines(onLine: (line: string) => void): (chunk: string) => void {
  let rest = "";
  return (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = (lines.pop() ?? "").slice(0, MAX_LINE_CHARACTERS);
    for (const line of lines) if (line.trim() !== "") onLine(line.slice(0, MAX_LINE_CHARACTERS));
  };
}
