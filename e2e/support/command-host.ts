import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export type Ran = { code: number; stdout: string; stderr: string };

const RUNNER = fileURLToPath(new URL("run-commands.ts", import.meta.url));

/** One process that runs commands of a program, one at a time. A command takes a tenth of the time of a new process. */
export function startCommandHost(program: string, cwd: string, env: NodeJS.ProcessEnv) {
  const child = fork(RUNNER, [program], { cwd, env, execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const ended = once(child, "exit");
  const died = ended.then(([code, signal]) => {
    throw new Error(`The process that runs commands has ended: ${code ?? signal}`);
  });
  died.catch(() => {});
  return {
    async run(args: readonly string[]): Promise<Ran> {
      const answered = once(child, "message");
      child.send(args);
      const [ran] = await Promise.race([answered, died]);
      return ran as Ran;
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}
