import { EventEmitter } from "node:events";
import { Readable } from "node:stream";
import { runProgram } from "./program.ts";

type Where = {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** What it reads on standard input. */
  input?: Uint8Array;
};

function openHost({ cwd, env, input }: Where, args: readonly string[] = []) {
  const written = { stdout: "", stderr: "" };
  const stream = (name: keyof typeof written) =>
    Object.assign(new EventEmitter(), {
      write: (piece: string) => {
        written[name] += piece;
        return true;
      },
    });
  const host = Object.assign(new EventEmitter(), {
    ...{ env, platform: process.platform, cwd: () => cwd, argv: ["node", "backplane", ...args] },
    ...{ stdin: Readable.from(input ? [input] : []), exitCode: undefined },
    ...{ stdout: stream("stdout"), stderr: stream("stderr") },
  }) as unknown as NodeJS.Process;
  return { host, written };
}

/** Runs a command in this process, which takes a tenth of the time of a new one. */
export async function runHere(where: Where, command: (host: NodeJS.Process) => Promise<number>) {
  const { host, written } = openHost(where);
  const code = await command(host);
  return { code, ...written };
}

/** The same for a whole command line, as a terminal gives it to `backplane`. */
export async function runLineHere(where: Where, args: readonly string[]) {
  const { host, written } = openHost(where, args);
  await runProgram(host);
  return { status: Number(host.exitCode ?? 0), ...written };
}
