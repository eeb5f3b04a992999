import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { programOf as currentProgramOf } from "../../scripts/programs.ts";
import { freePort } from "../../scripts/services/index.ts";
import { type ProcessName, Program, plainEnvironment } from "./backplane.ts";
import { HANG_MS } from "./processes.ts";

/** Only catches hangs, as `HANG_MS` does. To start is the most work that a process ever has. */
const START_WITHIN_MS = 3 * HANG_MS;

/** Where the programs of a release are. */
export type ProgramOf = (name: ProcessName) => string;

/** One of our processes, which can be killed and started again with the same port and home. */
export type Restartable = AsyncDisposable & {
  readonly url: string;
  readonly port: number;
  readonly home: string;
  readonly pid: number;
  /** The output of all runs. */
  output(): string;
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** With `programOf`, it is of that release from now on. */
  start(programOf?: ProgramOf): Promise<void>;
};

type Options = {
  name: ProcessName;
  portSetting: string;
  env: NodeJS.ProcessEnv;
  /** A command that runs the command it is given, such as `nice`; it must not fork. */
  wrapper?: readonly string[];
  programOf?: ProgramOf | undefined;
};

/** Uses a free port unless the environment sets one. */
export async function startRestartable(options: Options): Promise<Restartable> {
  const { name, portSetting, env, wrapper = [] } = options;
  let { programOf = currentProgramOf } = options;
  const folder = mkdtempSync(join(tmpdir(), `backplane-${name}-`));
  const home = join(folder, "home");
  const port = Number(env[portSetting] ?? (await freePort()));
  let program: Program;
  let earlier = "";
  const start = async (from = programOf) => {
    programOf = from;
    const [command = process.execPath, ...args] = [...wrapper, process.execPath, programOf(name)];
    program = new Program(command, args, {
      cwd: folder,
      env: { ...plainEnvironment(), [portSetting]: String(port), BACKPLANE_HOME: home, ...env },
    });
    try {
      await program.prints(/"msg":"ready"/, START_WITHIN_MS);
    } catch (error) {
      await program.stop("SIGKILL");
      throw error;
    }
  };
  const kill = async (signal: NodeJS.Signals = "SIGKILL") => {
    await program.stop(signal);
    earlier += program.output;
  };
  await start();
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    home,
    get pid() {
      return program.pid;
    },
    output: () => earlier + program.output,
    kill,
    start,
    async [Symbol.asyncDispose]() {
      if (program.child.exitCode === null && program.child.signalCode === null) await kill("SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
