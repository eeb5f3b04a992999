import { execFileSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";

const isRoot = process.getuid?.() === 0;
/** Without root, in a namespace in which this user is root. */
const NAMESPACE = isRoot ? ["unshare", "--mount"] : ["unshare", "--map-root-user", "--mount"];

/** Why no disk can be mounted here; false if one can. */
export function noSmallDisks(): string | false {
  const [command = "", ...args] = [...NAMESPACE, "mount", "-t", "tmpfs", "tmpfs", "/mnt"];
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return false;
  } catch {
    return "this system does not let the test mount a disk";
  }
}

/**
 * Runs a program with two small disks of its own: one for everything above its home, one for its archives. They exist only
 * for that process, and end with it in whatever way it ends.
 */
export const ON_SMALL_DISKS: readonly string[] = [
  ...NAMESPACE,
  "sh",
  "-c",
  [
    'mount -t tmpfs -o size=12m,mode=755 tmpfs "$(dirname "$BACKPLANE_HOME")"',
    'mkdir -p -m 700 "$BACKPLANE_HOME/archives"',
    'mount -t tmpfs -o size=1m,mode=700 tmpfs "$BACKPLANE_HOME/archives"',
    'exec "$@"',
  ].join(" && "),
  "sh",
];

/** A path as that process sees it. */
export const seenBy = (pid: number, path: string): string => `/proc/${pid}/root${path}`;

/** Takes all the space on the disk of a folder. Disposing it gives the space back. */
export function fillDisk(folder: string): Disposable {
  const filler = `${folder}/filler`;
  const file = openSync(filler, "w");
  for (let bytes = 1024 * 1024; bytes >= 1; ) {
    try {
      writeSync(file, Buffer.alloc(bytes));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      bytes = Math.floor(bytes / 2);
    }
  }
  closeSync(file);
  return { [Symbol.dispose]: () => rmSync(filler) };
}

/** Disposing makes the disk writable again. Only a disk without files that are open for writing can be made read-only. */
export function makeReadOnly(pid: number, folder: string): Disposable {
  const enter = ["--target", String(pid), "--mount", ...(isRoot ? [] : ["--user", "--preserve-credentials"])];
  const remount = (how: "ro" | "rw") =>
    void execFileSync("nsenter", [...enter, "mount", "-o", `remount,${how}`, folder]);
  remount("ro");
  return { [Symbol.dispose]: () => remount("rw") };
}
