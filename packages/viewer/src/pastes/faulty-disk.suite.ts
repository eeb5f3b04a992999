import { writeFile } from "node:fs/promises";
import { type Disk, realDisk } from "./storage/disk.ts";

/** What happens at step `at`, counted from 1. */
export type Fault =
  | { kind: "kill"; at: number; isHalfDone?: boolean }
  | { kind: "fail"; at: number; code: string; isForGood: boolean };

export type FaultyDisk = Disk & { steps(): readonly string[] };

/** Without flushes: a kill does not need them. */
export const quickDisk: Disk = {
  ...realDisk,
  writeFile: (path, text) => writeFile(path, text, { flag: "wx", mode: 0o600 }),
  flushFile: async () => undefined,
  flushFolder: async () => undefined,
};

/** Steps really happen until the fault. After a kill nothing more reaches the file system. */
export function faultyDisk(fault?: Fault): FaultyDisk {
  const steps: string[] = [];
  let isBroken = false;

  const step = <A extends unknown[]>(
    name: string,
    work: (...args: A) => Promise<void>,
    half?: (...args: A) => Promise<void>,
  ) => {
    return async (...args: A): Promise<void> => {
      steps.push(name);
      const isNow = fault?.at === steps.length;
      if (isNow && fault.kind === "kill" && fault.isHalfDone) await half?.(...args);
      if (isNow || (isBroken && (fault?.kind === "kill" || fault?.isForGood))) {
        isBroken = true;
        throw fault?.kind === "fail" ? systemError(fault.code, name) : new Error(`killed at ${name}`);
      }
      return work(...args);
    };
  };

  return {
    makeFolder: step("makeFolder", quickDisk.makeFolder),
    writeFile: step("writeFile", quickDisk.writeFile, (path, text) =>
      writeFile(path, text.slice(0, text.length / 2), { flag: "wx" }),
    ),
    flushFile: step("flushFile", quickDisk.flushFile),
    link: step("link", quickDisk.link),
    rename: step("rename", quickDisk.rename),
    unlink: step("unlink", quickDisk.unlink),
    removeFolder: step("removeFolder", quickDisk.removeFolder),
    flushFolder: step("flushFolder", quickDisk.flushFolder),
    steps: () => steps,
  };
}

const systemError = (code: string, syscall: string): Error =>
  Object.assign(new Error(`${code}: injected, ${syscall}`), { code, syscall });
