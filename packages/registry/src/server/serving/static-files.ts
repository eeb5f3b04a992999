import { chmod, mkdir, readdir, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeFileAtomically } from "@backplane/kit/atomic-file";
import type { IndexFile } from "../catalogue/index-file.ts";
import { bytesIn } from "../catalogue/pieces.ts";

/*
 * Why this exists: a web server sends a file of 25 MB for a fraction of what it costs this process, and answers "unchanged" much
 * faster. So it finds the files of the newest index in a folder, at the end of their address: <sha256>/packages.json, and
 * packages.json.gz. What is not there it asks of a platform (hosting/nginx.conf), which has replaced files, too.
 */

const SHA256 = /^[a-f0-9]{64}$/;
/** What is written here, and what killed processes have left of it. */
const OURS = /^[a-z]+\.(?:json|zip)(?:\.gz)?(?:\.[-\w]+\.tmp)?$/;
/** Others may read them, whatever this process's umask: the web server is another user. */
const [READABLE_FOLDER, READABLE_FILE] = [0o755, 0o644];
/** Leftovers of killed processes are removed after this time; other instances may share the folder. */
const LEFTOVER_LIFE_MS = 10 * 60_000;

type StaticFilesOptions = {
  /** Undefined: nothing is written. */
  folder: string | undefined;
  onFault(error: unknown): void;
};

export function createStaticFiles({ folder, onFault }: StaticFilesOptions) {
  let writing: Promise<void> = Promise.resolve();

  return {
    /** Writes what is missing of the newest index, and removes what is not part of it. One that fails is repeated by the next one. */
    write(newest: readonly IndexFile[]): Promise<void> {
      if (folder === undefined) return Promise.resolve();
      writing = writing
        .then(() => writeInto(folder, newest))
        .catch((cause: unknown) =>
          onFault(
            new Error("INDEXES_FOLDER cannot be written: the platform sends the lists of packages itself.", { cause }),
          ),
        );
      return writing;
    },
    close: () => writing,
  };
}

/** What is removed goes first, so that there is room. */
async function writeInto(folder: string, newest: readonly IndexFile[]): Promise<void> {
  await makeFolder(folder);
  const named = new Set(newest.map(({ sha256 }) => sha256));
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const { name } = entry;
    if (!SHA256.test(name) || !entry.isDirectory()) continue;
    if (named.has(name)) await removeLeftovers(join(folder, name));
    else await removeReplaced(join(folder, name));
  }
  for (const { sha256, name, identity, gzip } of newest) {
    const path = join(folder, sha256, name);
    // First: whoever accepts it would get the long one in between.
    if (gzip) await place(`${path}.gz`, gzip);
    await place(path, identity);
    await chmod(dirname(path), READABLE_FOLDER);
  }
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
    await chmod(path, READABLE_FOLDER);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Only what is ours: the setting may name a folder in which others keep theirs under hashes, too. */
async function removeReplaced(folder: string): Promise<void> {
  try {
    for (const name of await readdir(folder)) if (OURS.test(name)) await rm(join(folder, name), { force: true });
    await rmdir(folder);
  } catch (error) {
    if (!KEPT.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

/** Another instance was faster, or there is more in it. */
const KEPT: ReadonlySet<string> = new Set(["ENOENT", "ENOTEMPTY", "EEXIST", "ERR_FS_EISDIR"]);

async function removeLeftovers(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((name) => name.endsWith(".tmp"))) {
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > LEFTOVER_LIFE_MS) await rm(join(folder, name), { force: true });
  }
}

/** The name contains the content's hash, so a file that is there is never another one. */
async function place(path: string, bytes: readonly Buffer[]): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.size === bytesIn(bytes)) return;
  await writeFileAtomically(path, bytes, READABLE_FILE);
}
