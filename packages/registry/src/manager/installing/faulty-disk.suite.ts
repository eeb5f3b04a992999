import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Disk, realDisk } from "./disk.ts";

/** Thrown by every step after the process "died": nothing else reaches the file system. */
class Killed extends Error {}

/** What happens at step number `at`, counted from 1. */
export type Fault =
  | { kind: "kill"; at: number; isHalfDone?: boolean }
  | { kind: "fail"; at: number; code: string; isForGood: boolean };

export type FaultyDisk = Disk & { steps(): number; names(): readonly string[] };

/** Steps are real until the fault. Flushing to disk is left out, because a kill does not need it. */
export function faultyDisk(fault?: Fault): FaultyDisk {
  const names: string[] = [];
  let isBroken = false;
  const quick: Disk = {
    ...realDisk,
    writeFile: (path, bytes) => writeFile(path, bytes),
    flushFolder: async () => undefined,
  };
  const step = <A extends unknown[], R>(
    name: string,
    work: (...args: A) => Promise<R>,
    half?: (...args: A) => Promise<unknown>,
  ) => {
    return async (...args: A): Promise<R> => {
      if (!isBroken || fault?.kind === "fail") names.push(name);
      const isNow = fault !== undefined && names.length === fault.at && !isBroken;
      if (fault?.kind === "fail" && (isNow || (isBroken && fault.isForGood))) {
        isBroken = true;
        throw systemError(fault.code, name);
      }
      if (fault?.kind === "kill" && (isNow || isBroken)) {
        isBroken = true;
        if (isNow && fault.isHalfDone) await half?.(...args);
        throw new Killed(`killed at ${name}`);
      }
      return work(...args);
    };
  };
  return {
    makeFolder: step("makeFolder", quick.makeFolder),
    writeFile: step("writeFile", quick.writeFile, (path, bytes) =>
      writeFile(path, bytes.subarray(0, bytes.length / 2)),
    ),
    link: step("link", quick.link),
    copyFile: step("copyFile", quick.copyFile),
    makeLink: step("makeLink", quick.makeLink),
    rename: step("rename", quick.rename),
    unlink: step("unlink", quick.unlink),
    removeFolder: step("removeFolder", quick.removeFolder),
    flushFolder: step("flushFolder", quick.flushFolder),
    extract: step("extract", quick.extract, async (file, target) => {
      await quick.extract(file, target);
      const [first = ""] = await readdir(target);
      await rm(join(target, first), { recursive: true });
    }),
    steps: () => names.length,
    names: () => names,
  };
}

function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: injected, ${syscall}`), { code, syscall, errno: -1 });
}
