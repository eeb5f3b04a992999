import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { programOf } from "../../scripts/programs.ts";
import { freePort } from "../../scripts/services/index.ts";
import { descendantsOf, until } from "./processes.ts";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** `backplane`, as npm installs it. */
export const CLI = join(ROOT, "packages/cli/bin/backplane.js");

export const PROCESS_NAMES = ["platform", "gateway", "watchdog", "viewer"] as const;
export type ProcessName = (typeof PROCESS_NAMES)[number];

export type Ports = Record<ProcessName, number>;

export async function freePorts(): Promise<Ports> {
  const [platform, gateway, watchdog, viewer] = await Promise.all(PROCESS_NAMES.map(() => freePort()));
  return { platform, gateway, watchdog, viewer } as Ports;
}

/** Same as `backplane` sets for its child processes: compiling the source takes half of the startup time. */
const COMPILE_CACHE = join(ROOT, "node_modules/.cache/backplane");

/** Environment for programs under test, without the developer's own settings. */
export const plainEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  NODE_COMPILE_CACHE: COMPILE_CACHE,
});

/** PATH with the machine's own Node and npm, not those of this checkout, which people do not have. */
export function machinePath(): string {
  const inCheckout = (folder: string) => folder.includes("node_modules");
  return (process.env.PATH ?? "")
    .split(":")
    .filter((folder) => !inCheckout(folder))
    .join(":");
}

/** Several run at a time: those that want devices name a port for MQTT too. */
export const portSettings = (ports: Ports): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(PROCESS_NAMES.map((name) => [`${name.toUpperCase()}_PORT`, String(ports[name])])),
  MQTT_PORT: "off",
});

export class Program {
  readonly child: ChildProcess;
  output = "";
  readonly #ended: Promise<number | null>;

  constructor(command: string, args: readonly string[], options: { cwd: string; env: NodeJS.ProcessEnv }) {
    this.child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding("utf8").on("data", (chunk: string) => {
        this.output += chunk;
      });
    }
    this.#ended = new Promise((resolve) => this.child.once("close", resolve));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  prints(pattern: RegExp, timeoutMs?: number): Promise<void> {
    const shown = () => pattern.test(this.output);
    const gone = () => this.child.exitCode !== null || this.child.signalCode !== null;
    return until(() => shown() || gone(), `${pattern} in:\n${this.output}`, timeoutMs).then(() => {
      if (!shown()) throw new Error(`Ended with ${this.child.exitCode} before it printed ${pattern}:\n${this.output}`);
    });
  }

  /** The exit code, once the program has ended and all its output was read. */
  ended(): Promise<number | null> {
    return this.#ended;
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    this.child.kill(signal);
    return this.ended();
  }

  /** So that a failed test leaves no process that keeps the test file from ending. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop("SIGKILL");
  }
}

export type RunningBackplane = AsyncDisposable & {
  program: Program;
  ports: Ports;
  home: string;
  url(name: ProcessName, path?: string): string;
  /** Throws if the process is not running: a signal to pid 0 would reach the tests themselves. */
  pidOf(name: ProcessName): number;
  logOf(name: ProcessName): string;
};

export type StartOptions = {
  env?: NodeJS.ProcessEnv;
  command?: string;
  args?: readonly string[];
  cwd?: string;
  startMs?: number;
};

/** Runs `backplane up` (or a command that ends in it) on free ports with its own home, and waits until it is up. */
export async function startBackplane(options: StartOptions = {}): Promise<RunningBackplane> {
  const folder = mkdtempSync(join(tmpdir(), "backplane-e2e-"));
  const home = join(folder, "home");
  const ports = await freePorts();
  const { command = process.execPath, args = [CLI, "up"], cwd = folder, env = {}, startMs } = options;
  const program = new Program(command, args, {
    cwd,
    env: { ...plainEnvironment(), HOME: folder, ...portSettings(ports), BACKPLANE_HOME: home, ...env },
  });
  const dispose = async () => {
    if (program.child.exitCode === null) await program.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await program.prints(/Everything .*is running/, startMs);
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    program,
    ports,
    home,
    url: (name, path = "") => `http://localhost:${ports[name]}${path}`,
    pidOf(name) {
      const running = descendantsOf(program.pid);
      const found = running.find(({ command }) => command.includes(programOf(name)));
      if (found === undefined) throw new Error(`${name} is not running, only ${running.map(({ command }) => command)}`);
      return found.pid;
    },
    logOf: (name) => readFileSync(join(home, "logs", `${name}.log`), "utf8"),
    [Symbol.asyncDispose]: dispose,
  };
}
