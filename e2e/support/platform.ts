import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../scripts/services/index.ts";
import { Program, plainEnvironment, ROOT } from "./backplane.ts";

const MAIN = join(ROOT, "packages/platform/src/main.ts");

export const OWNER = { name: "owner", password: "correct horse battery" } as const;

export type RunningPlatform = AsyncDisposable & {
  readonly url: string;
  /** By the name that its own links have: an origin of its own, and the one for passkeys. */
  readonly pages: string;
  readonly home: string;
  readonly pid: number;
  output(): string;
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it anew on the same port and home. */
  start(): Promise<void>;
};

/** One platform process on a port of its own, unless one is given; the owner's password is known. */
export async function startPlatform(env: NodeJS.ProcessEnv = {}): Promise<RunningPlatform> {
  const folder = mkdtempSync(join(tmpdir(), "backplane-platform-"));
  const home = join(folder, "home");
  const port = Number(env.PLATFORM_PORT ?? (await freePort()));
  let program: Program;
  let earlier = "";
  const start = async () => {
    program = new Program(process.execPath, [MAIN], {
      cwd: folder,
      env: {
        ...plainEnvironment(),
        PLATFORM_PORT: String(port),
        BACKPLANE_HOME: home,
        BACKPLANE_OWNER: OWNER.name,
        BACKPLANE_OWNER_PASSWORD: OWNER.password,
        ...env,
      },
    });
    await program.prints(/"msg":"ready"/);
  };
  const kill = async (signal: NodeJS.Signals = "SIGKILL") => {
    await program.stop(signal);
    earlier += program.output;
  };
  await start();
  return {
    url: `http://127.0.0.1:${port}`,
    pages: `http://localhost:${port}`,
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
