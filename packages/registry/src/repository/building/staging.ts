import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isProcessAlive } from "@backplane/kit/process-alive";
import { sha256Of } from "../../values.ts";
import { BUILD_FOLDER } from "./places.ts";

const PREFIX = "staging-";

/** Holds the parts of the next repository, by hash, until everything was checked. */
export type Staging = {
  folder: string;
  /** A path for an unfinished file. */
  newFile(): string;
  /** Records the hash of such a file when it is finished. */
  hold(sha256: string, file: string): void;
  held: ReadonlyMap<string, string>;
  /** Keeps small files in memory; returns the sha256. */
  keep(bytes: Uint8Array): string;
  kept: ReadonlyMap<string, Uint8Array>;
};

/** Creates the folder of this process, and removes those of killed builds. */
export function openStaging(out: string): Staging & Disposable {
  const build = join(out, BUILD_FOLDER);
  mkdirSync(build, { recursive: true });
  for (const name of readdirSync(build)) {
    const pid = Number(name.slice(PREFIX.length));
    if (name.startsWith(PREFIX) && (pid === process.pid || !isProcessAlive(pid))) {
      rmSync(join(build, name), { recursive: true, force: true });
    }
  }
  const folder = join(build, `${PREFIX}${process.pid}`);
  mkdirSync(folder);
  let count = 0;
  const held = new Map<string, string>();
  const kept = new Map<string, Uint8Array>();
  return {
    folder,
    held,
    kept,
    newFile: () => join(folder, String(count++)),
    hold: (sha256, file) => held.set(sha256, file),
    keep(bytes) {
      const sha256 = sha256Of(bytes);
      kept.set(sha256, bytes);
      return sha256;
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Writes the whole file or nothing, through the temporary file `half`; false if it already had this content. */
export function writeAtomically(file: string, bytes: Uint8Array, half: string): boolean {
  if (readIfExists(file)?.equals(bytes)) return false;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(half, bytes);
  renameSync(half, file);
  return true;
}

export function readIfExists(file: string): Buffer | undefined {
  // Thrown errors are slow, and of a new repository no file exists.
  if (!existsSync(file)) return undefined;
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
