import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, link, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import { makePrivateFolder } from "@backplane/kit/folder";
import { Problem } from "@backplane/kit/problems";
import { checkPath } from "../files/file-path.ts";
import { lstatInside, openInside } from "../files/inside.ts";

/** `20260728-143108`, in UTC: names sort by time on every machine. */
const stampOf = (nowMs: number): string =>
  new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");

export type Named = { name: string | undefined; kind: string; nowMs: number; width: number; height: number };

/** Why a name is not a valid file name on every system. */
export function faultOfName(name: string): string | undefined {
  const [first = ""] = fileNames({ name, kind: "", nowMs: 0, width: 1, height: 1 }, 1);
  const checked = checkPath(first);
  return checked.ok ? undefined : checked.why;
}

/** Names to try in turn: `yaw-1240x986.png`, `yaw-2-1240x986.png`, … */
function* fileNames({ name, kind, nowMs, width, height }: Named, atMost: number): Generator<string> {
  const stem = name === undefined ? `${kind}-${stampOf(nowMs)}` : withoutEnding(name);
  for (let count = 1; count <= atMost; count += 1) {
    yield `${stem}${count === 1 ? "" : `-${count}`}-${width}x${height}.png`;
  }
}

/** Callers may include the ending. A name that ends with a dot or space is not valid everywhere. */
const withoutEnding = (name: string): string =>
  name.replace(/\.png$/i, "").replace(/(?<![. ])[. ]+$/, "") || "screenshot";

export const SAVED_NAME_PATTERN = "^[a-zA-Z0-9][a-zA-Z0-9 ._-]{0,140}\\.png$";

export const FOLDER_NAME = "screenshots";
const TEMPORARY = /^\.shot-[0-9a-f-]+\.(?:upload|part)$/;

/** Temporary files of this age were left behind by a crash. */
export const LEFTOVER_AGE_MS = 600_000;

/** The screenshots of one project. All instances share the folder: one receives the upload, another may wait for it. */
export type ShotFolder = {
  putUpload(shotId: string, png: Buffer): Promise<void>;
  /** Reads and deletes it. Undefined: nothing was uploaded. */
  takeUpload(shotId: string): Promise<Buffer | undefined>;
  dropUpload(shotId: string): Promise<void>;
  /** How many screenshots are saved. */
  count(): Promise<number>;
  /** Saves under the first free name; never overwrites a file. */
  save(png: Buffer, named: Named): Promise<string>;
  /** The caller closes it. Undefined: there is no such file. */
  open(file: string): Promise<FileHandle | undefined>;
  /** Removes what crashes have left behind. */
  sweep(nowMs: number): Promise<void>;
};

export function openShotFolder(projectFolder: string): ShotFolder {
  const folder = join(projectFolder, FOLDER_NAME);
  // The id is a secret until the upload arrives, and the folder can be listed.
  const uploadOf = (shotId: string) =>
    join(folder, `.shot-${createHash("sha256").update(shotId).digest("hex").slice(0, 32)}.upload`);

  /** A link in its place could lead out of the project: it is refused. */
  async function make(): Promise<void> {
    makePrivateFolder(projectFolder);
    await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
    if ((await lstatInside(projectFolder, [FOLDER_NAME]))?.isDirectory()) return;
    throw new Problem("file-name-refused", { detail: `"${FOLDER_NAME}" is a file of this project, not a folder.` });
  }

  return {
    async putUpload(shotId, png) {
      await make();
      await writeFile(uploadOf(shotId), png, { flag: "wx", mode: 0o600 });
    },
    async takeUpload(shotId) {
      const path = uploadOf(shotId);
      try {
        return await readFile(path);
      } catch (error) {
        if (codeOf(error) === "ENOENT") return undefined;
        throw error;
      } finally {
        await rm(path, { force: true });
      }
    },
    // A failure here must not fail the call: leftovers are swept later.
    dropUpload: (shotId) => rm(uploadOf(shotId), { force: true }).catch(() => {}),
    async count() {
      const names = await readdir(folder).catch(() => []);
      return names.filter((each) => !TEMPORARY.test(each)).length;
    },
    async save(png, named) {
      await make();
      const part = join(folder, `.shot-${randomUUID()}.part`);
      try {
        await writeFile(part, png, { flag: "wx", mode: 0o600 });
        // To try one name after the other at the file system would take longer with every picture of this name.
        const taken = new Set(await readdir(folder));
        for (const name of fileNames(named, PANELS_LIMITS.maxScreenshotsOfOneName)) {
          if (!taken.has(name) && (await placed(part, join(folder, name), png))) return name;
        }
      } finally {
        await rm(part, { force: true });
      }
      throw new Problem("too-many-of-these", {
        detail: `There are already ${PANELS_LIMITS.maxScreenshotsOfOneName} screenshots with this name.`,
      });
    },
    open: (file) => openInside(projectFolder, [FOLDER_NAME, file]),
    async sweep(nowMs) {
      const names = await readdir(folder).catch(() => []);
      for (const name of names.filter((each) => TEMPORARY.test(each))) {
        const path = join(folder, name);
        const found = await stat(path).catch(() => undefined);
        if (found && nowMs - found.mtimeMs > LEFTOVER_AGE_MS) await rm(path, { force: true });
      }
    },
  };
}

/** Atomically, and only if the name is free: of two concurrent calls exactly one gets it. */
async function placed(part: string, path: string, png: Buffer): Promise<boolean> {
  try {
    await link(part, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
  }
  // Some file systems have no hard links.
  try {
    await writeFile(path, png, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException).code;
