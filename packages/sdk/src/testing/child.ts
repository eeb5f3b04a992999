import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export type Child = AsyncDisposable & {
  process: ChildProcess;
  /** The next message that the child sends. */
  hear(): Promise<unknown>;
};

/** Another process that runs a program of this folder. */
export function startChild(program: URL, args: readonly string[]): Child {
  const child = fork(fileURLToPath(program), args, { stdio: "inherit" });
  const exited = once(child, "exit");
  const gone = exited.then(([code, signal]) =>
    Promise.reject(new Error(`${program.pathname} ended: ${code ?? signal}`)),
  );
  gone.catch(() => {});
  return {
    process: child,
    hear: () => Promise.race([once(child, "message").then(([message]) => message as unknown), gone]),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
