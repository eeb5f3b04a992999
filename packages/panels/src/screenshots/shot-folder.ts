import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, link, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import { makePrivateFolder } from "@backplane/kit/folder";
import { Problem } from "@backplane/kit/problems";
import { checkPath } from "../files/file-path.ts";
import { lookInside, openInside } from "../files/inside.ts";

/** `20260728-143108`, in UTC: names sort by time on every machine. */
const stampOf = (nowMs: number): string =>
  new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");

export type Named = { name: string | undefined; kind: string; nowMs: number; width: number; height: number };

/** Why a name would be none that every system takes. */
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

/** Some write the ending although it is added; a name that ends in a dot or a space cannot be kept everywhere. */
const withoutEnding = (name: string): string => name.replace(/\.png$/i, "").replace(/[. ]+$/, "") || "screenshot";

export const SAVED_NAME_PATTERN = "^[a-zA-Z0-9][a-zA-Z0-9 ._-]{0,140}\\.png$";

export const FOLDER_NAME = "screenshots";
const TEMPORARY = /^\.shot-[0-9a-f-]+\.(?:upload|part)$/;

/** Temporary files of this age were left behind by a crash. */
export const LEFTOVER_AGE_MS = 600_000;

/** The screenshots of one project. Its folder is shared by all instances: one takes the upload, another may wait for it. */
export type ShotFolder = {
  putUpload(shotId: string, png: Buffer): Promise<void>;
  /** Undefined: nothing came. It is gone afterwards. */
  takeUpload(shotId: string): Promise<Buffer | undefined>;
  dropUpload(shotId: string): Promise<void>;
  /** How many are kept. */
  count(): Promise<number>;
  /** Under the first name that is free; never in the place of another file. */
  save(png: Buffer, named: Named): Promise<string>;
  /** Whoever gets it closes it. Undefined: there is none. */
  open(file: string): Promise<FileHandle | undefined>;
  /** Ends what crashes have left. */
  sweep(nowMs: number): Promise<void>;
};

export function openShotFolder(projectFolder: string): ShotFolder {
  const folder = join(projectFolder, FOLDER_NAME);
  // The id is a secret while it is waited for, and the folder can be listed.
  const uploadOf = (shotId: string) =>
    join(folder, `.shot-${createHash("sha256").update(shotId).digest("hex").slice(0, 32)}.upload`);

  /** A link in its place would lead out of the project: it is refused, not followed. */
  async function make(): Promise<void> {
    makePrivateFolder(projectFolder);
    await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
    if ((await lookInside(projectFolder, [FOLDER_NAME]))?.isDirectory()) return;
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
    // What stays is swept later: nobody may fail for it.
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
        for (const name of fileNames(named, PANELS_LIMITS.maxScreenshotsOfOneName)) {
          if (await placed(part, join(folder, name), png)) return name;
        }
      } finally {
        await rm(part, { force: true });
      }
      throw new Problem("too-many-of-these", {
        detail: `There are ${PANELS_LIMITS.maxScreenshotsOfOneName} screenshots of this name.`,
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

/** Whole or not at all, and only if nothing has this name: of two at once exactly one gets it. */
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
