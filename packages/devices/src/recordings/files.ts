import { type FileHandle, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { queueByKey } from "@backplane/kit/concurrency";
import { makePrivateFolder } from "@backplane/kit/folder";

/** So much of a disk is left to everything else. */
const LEFT_FREE_BYTES = 256 * 1024 * 1024;

/** In the folder of the projects: instances that work together share it, and backups contain it. */
const FOLDER = ".recordings";

/** The files of recordings, in a folder per workspace. */
export type RecordingFiles = {
  /** Makes the folder of the workspace. */
  pathFor(workspaceId: string, id: string): Promise<string>;
  /** Bytes that recordings may still take of the disk. */
  free(): Promise<number>;
  /** One file at a time: a process has few threads for files, and a slow disk must leave some to those that write. */
  sync(handle: FileHandle): Promise<void>;
  removeOf(workspaceId: string): Promise<void>;
};

export function openRecordingFiles(projectsFolder: string): RecordingFiles {
  const folder = join(projectsFolder, FOLDER);
  // Ids come from the database: nothing of a request is in a path.
  const folderOf = (workspaceId: string) => join(folder, encodeURIComponent(workspaceId));
  const syncs = queueByKey();
  return {
    async pathFor(workspaceId, id) {
      makePrivateFolder(folderOf(workspaceId));
      return join(folderOf(workspaceId), `${id}.mcap`);
    },
    async free() {
      makePrivateFolder(folder);
      const { bavail, bsize } = await statfs(folder);
      return bavail * bsize - LEFT_FREE_BYTES;
    },
    sync: (handle) => syncs.run("", () => handle.datasync()),
    removeOf: (workspaceId) => rm(folderOf(workspaceId), { recursive: true, force: true }),
  };
}
