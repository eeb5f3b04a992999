import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { logTailLines } from "./limits.ts";
import type { User } from "./run-as.ts";

export type ServiceProgram = {
  command: string;
  args: string[];
  /** Working folder, holds `log`; removed at the end. */
  folder: string;
  env?: Record<string, string>;
  user?: User | undefined;
  /** Command run once, as the same user, before the first start. */
  prepare?: string[];
  /** The signal for a clean stop. */
  endSignal: NodeJS.Signals;
  /** Command run once after the final stop. */
  afterwards?: string[];
};

export type Order = { order: "start" } | { order: "leave" } | { order: "end"; signal: NodeJS.Signals };
export type Report = { event: "started"; pid: number } | { event: "ended"; how: string };

/** A program under a keeper: it cannot outlive this process, however this process ends. */
export type Kept = {
  /** Undefined while it is not running. */
  pid(): number | undefined;
  start(): Promise<void>;
  end(signal: NodeJS.Signals): Promise<void>;
  /** The last lines it printed. */
  logTail(): string;
  /** Ends it, removes its folder. */
  close(): Promise<void>;
};

export function keep(program: ServiceProgram): Kept {
  const keeper = fork(join(import.meta.dirname, "keeper.ts"), [JSON.stringify(program)], {
    detached: true,
    stdio: "ignore",
    execArgv: [],
    env: withoutTestRunner(process.env),
  });
  let pid: number | undefined;
  keeper.on("message", (report: Report) => {
    pid = report.event === "started" ? report.pid : undefined;
  });
  // A running service must not keep a finished test file alive.
  const rest = () => {
    keeper.unref();
    keeper.channel?.unref();
  };
  rest();

  const logTail = () => tail(join(program.folder, "log"));

  async function order(message: Order, answer: Report["event"]): Promise<void> {
    keeper.ref();
    keeper.channel?.ref();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const hear = (report: Report) => {
      if (report.event === answer) resolve();
      else if (report.event === "ended")
        reject(new Error(`${program.command} did not start: ${report.how}.\n${logTail()}`));
    };
    const gone = () => reject(new Error(`The keeper of ${program.command} is gone.`));
    keeper.on("message", hear).once("exit", gone);
    try {
      keeper.send(message);
      await promise;
    } finally {
      keeper.off("message", hear).off("exit", gone);
      rest();
    }
  }

  return {
    pid: () => pid,
    start: () => order({ order: "start" }, "started"),
    end: async (signal) => {
      if (pid !== undefined) await order({ order: "end", signal }, "ended");
    },
    logTail,
    close: async () => {
      if (keeper.exitCode !== null || keeper.signalCode !== null) return;
      keeper.ref();
      const gone = once(keeper, "exit");
      if (keeper.connected) keeper.send({ order: "leave" } satisfies Order, () => keeper.disconnect());
      await gone;
    },
  };
}

function tail(file: string): string {
  try {
    return readFileSync(file, "utf8").trimEnd().split("\n").slice(-logTailLines).join("\n");
  } catch {
    return "";
  }
}

/** node:test marks its children; a keeper with that mark would speak the test protocol. */
function withoutTestRunner(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _context, NODE_OPTIONS: _options, ...rest } = env;
  return rest;
}
