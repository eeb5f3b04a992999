import { chmod, lstat, mkdir, realpath, stat, writeFile } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import { SCREENSHOTS_FOLDER } from "@backplane/contract/viewer";
import { claimPidFile, pidFileHolder, releasePidFile } from "@backplane/kit/pid-file";
import { Problem } from "@backplane/kit/problems";
import { diskProblem, isMissing, systemCode } from "./disk.ts";

export type PastesFolder = {
  /** The two files of each screenshot. */
  pairs: string;
  /** Everything else, private to its owner. */
  records: string;
  /** Uploads and unfinished files; emptied at every start. */
  incoming: string;
  /** Removed screenshots that can be restored. */
  removed: string;
  key: string;
  holder: string;
  server: string;
};

export function pastesFolder(project: string): PastesFolder {
  const pairs = join(project, ...SCREENSHOTS_FOLDER.split("/"));
  const records = join(pairs, ".pastes");
  return {
    pairs,
    records,
    incoming: join(records, "incoming"),
    removed: join(records, "removed"),
    key: join(records, "key"),
    holder: join(records, "holder"),
    server: join(records, "server.json"),
  };
}

/** Creates the folders that are missing. Refuses a link that leads out of the project. */
export async function makePastesFolder(project: string): Promise<PastesFolder> {
  const folder = pastesFolder(project);
  try {
    const root = await realpath(project);
    let path = project;
    for (const part of SCREENSHOTS_FOLDER.split("/")) {
      path = join(path, part);
      await makeOne(path, 0o777);
      const inside = relative(root, await realpath(path));
      if (inside.startsWith("..") || isAbsolute(inside)) throw refusedAt(path, "leads out of the project");
    }
    for (const path of [folder.records, folder.incoming, folder.removed]) {
      await makeOne(path, 0o700);
      if (!(await lstat(path)).isDirectory()) throw refusedAt(path, "is not a folder, or is a link");
    }
    await chmod(folder.records, 0o700);
    await writeFile(join(folder.records, ".gitignore"), "*\n", { flag: "wx" }).catch(unlessExists);
  } catch (error) {
    throw isMissing(error) ? await withoutFolder(project, error) : diskProblem(error);
  }
  return folder;
}

const makeOne = (path: string, mode: number): Promise<void> => mkdir(path, { mode }).catch(unlessExists);

function unlessExists(error: unknown): void {
  if (systemCode(error) !== "EEXIST") throw error;
}

/** Most likely a typo in the path. */
async function withoutFolder(project: string, error: unknown): Promise<unknown> {
  const stats = await stat(project).catch(() => undefined);
  if (stats?.isDirectory()) return diskProblem(error);
  if (stats) return refusedAt(project, "is not a folder");
  const detail = `The project folder ${project} does not exist. Create it, or choose another one with VIEWER_PROJECT or --project.`;
  return new Problem("folder-refused", { detail, cause: error });
}

const refusedAt = (path: string, why: string): Problem =>
  new Problem("folder-refused", { detail: `${path} ${why}. Move it away, or choose another project folder.` });

/** Another process has the screenshots of this project open. */
export class HeldElsewhere extends Problem {
  override name = "HeldElsewhere";
  readonly pid: number | undefined;

  constructor(folder: string, pid: number | undefined) {
    const who = pid === undefined ? "Another process" : `Process ${pid}`;
    super("folder-refused", {
      detail: `${who} has the screenshots in ${folder} open. Stop it, or choose another project folder with VIEWER_PROJECT or --project.`,
    });
    this.pid = pid;
  }
}

/** One process holds a project at a time. Returns the function that releases it. */
export function holdProject({ holder, pairs }: PastesFolder, pid: number): () => void {
  if (!claimPidFile(holder, pid)) throw new HeldElsewhere(pairs, pidFileHolder(holder));
  return () => releasePidFile(holder, pid);
}
