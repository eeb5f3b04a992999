import { createHash } from "node:crypto";
import type { Dirent } from "node:fs";
import { type FileHandle, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { type FileList, PANELS_LIMITS, type ProjectFile } from "@backplane/contract/panels";
import { Problem } from "@backplane/kit/problems";
import type { Files, OpenFile } from "../services.ts";
import { checkPath, expectPath, isListed } from "./file-path.ts";
import { lstatIfExists, lstatInside, openInside } from "./inside.ts";
import { ownerFolder, removeOwnerFolder } from "./owner-folders.ts";
import { syncFolder, writeAtomically } from "./write-atomically.ts";

/** Screenshots are the largest files that are read. */
const MAX_READ_BYTES = Math.max(PANELS_LIMITS.maxFileBytes, PANELS_LIMITS.maxShotBytes);

/** The files of projects, one folder per project. */
export function createFiles(projectsFolder: string): Files {
  const folderOf: Files["folderOf"] = ({ ownerId, folder }) => join(ownerFolder(projectsFolder, ownerId), folder);
  return {
    folderOf,
    async open(workspace, path) {
      await using opened = new AsyncDisposableStack();
      const handle = await openInside(folderOf(workspace), expectPath(path).parts);
      if (!handle) return undefined;
      opened.use(handle);
      const { size, mtimeMs } = await handle.stat();
      if (size > MAX_READ_BYTES) throw tooLargeToRead(size);
      const content = await inspect(readHandle(handle, size, { autoClose: false }));
      if (content.size !== size) throw new Problem("file-changed", { detail: "The file is being written. Try again." });
      opened.move();
      return {
        ...{ ...content, modifiedMs: mtimeMs },
        stream: () => readHandle(handle, size),
        [Symbol.asyncDispose]: () => handle.close(),
      };
    },
    async write(workspace, path, bytes) {
      await writeAtomically(folderOf(workspace), expectPath(path).parts, bytes);
    },
    // Links inside are deleted, not followed.
    removeProject: (workspace) => rm(folderOf(workspace), { recursive: true, force: true }),
    async sizeOf(ownerId) {
      const folder = ownerFolder(projectsFolder, ownerId);
      let bytes = 0;
      for (const { name } of await namesIn(folder)) {
        for (const { size } of (await listFiles(join(folder, name), NO_LIMITS)).files) bytes += size;
      }
      return bytes;
    },
    removeOwner: (ownerId) => removeOwnerFolder(projectsFolder, ownerId),
  };
}

/** It may grow while it is read. Our own saves replace a file: one that is open keeps its content. */
const readHandle = (handle: FileHandle, size: number, options = {}): Readable =>
  handle.createReadStream({ ...options, start: 0, end: Math.max(0, size - 1) });

async function inspect(content: Readable): Promise<Pick<OpenFile, "size" | "sha256" | "isText">> {
  const hash = createHash("sha256");
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let size = 0;
  let isText = true;
  const decode = (piece: Buffer | undefined, stream: boolean): void => {
    try {
      if (isText) isText = !decoder.decode(piece, { stream }).includes("\0");
    } catch {
      isText = false;
    }
  };
  for await (const piece of content as AsyncIterable<Buffer>) {
    size += piece.length;
    hash.update(piece);
    decode(piece, true);
  }
  decode(undefined, false);
  return { size, sha256: hash.digest("hex"), isText };
}

/** True: it existed and is deleted. Folders stay. */
export async function removeFile(folder: string, path: string): Promise<boolean> {
  const { parts } = expectPath(path);
  if (!(await lstatInside(folder, parts))?.isFile()) return false;
  const target = join(folder, ...parts);
  await rm(target, { force: true });
  await syncFolder(dirname(target));
  return true;
}

const tooLargeToRead = (size: number): Problem =>
  new Problem("payload-too-large", {
    detail: `The file has ${Math.ceil(size / 1_048_576)} MB. The limit is ${Math.floor(MAX_READ_BYTES / 1_048_576)} MB.`,
  });

/** Names looked at per listing, so that a project with nothing but empty folders comes to an end too. */
const MAX_NAMES_SEEN = 100_000;

type Limits = { maxFilesListed: number; maxNamesSeen: number };
/** For counting: what a list leaves out would not count for the quota. */
const NO_LIMITS: Limits = { maxFilesListed: Number.POSITIVE_INFINITY, maxNamesSeen: Number.POSITIVE_INFINITY };
const LIMITS: Limits = { maxFilesListed: PANELS_LIMITS.maxFilesListed, maxNamesSeen: MAX_NAMES_SEEN };

/** All files with a valid path, sorted by path; the first ones when there are more than the limit. */
export async function listFiles(folder: string, limits: Limits = LIMITS): Promise<FileList> {
  const files: ProjectFile[] = [];
  let seen = 0;

  async function walk(at: string): Promise<boolean> {
    for (const entry of await namesIn(join(folder, at))) {
      seen += 1;
      const path = at === "" ? entry.name : `${at}/${entry.name}`;
      if (!isListed(entry.name) || !checkPath(path).ok) continue;
      if (files.length === limits.maxFilesListed || seen > limits.maxNamesSeen) return false;
      if (entry.isDirectory() && !(await walk(path))) return false;
      if (!entry.isFile()) continue;
      const stats = await lstatIfExists(join(folder, path));
      if (stats?.isFile()) files.push({ path, size: stats.size, modifiedAt: stats.mtime.toISOString() });
    }
    return true;
  }

  const isWhole = await walk("");
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), truncated: !isWhole };
}

async function namesIn(path: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    // Deleted meanwhile, never created, or not readable.
    if (["ENOENT", "ENOTDIR", "EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}
