import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { link, open, rm } from "node:fs/promises";
import { diskProblem, systemCode } from "./disk-problem.ts";
import { pastesFolder } from "./folder.ts";

const KEY_BYTES = 32;
const OTHERS_MAY = 0o077;

/** The key of the page's tokens, made when it is first asked for. Pages stay valid over restarts. */
export async function readPageKey(project: string): Promise<Buffer> {
  const path = pastesFolder(project).key;
  try {
    const key = await readKey(path);
    if (key) return key;
    await rm(path, { force: true });
    return await makeKey(path);
  } catch (error) {
    throw diskProblem(error);
  }
}

/** One that others may read came with the project, and its maker knows it. */
async function readKey(path: string): Promise<Buffer | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stats = await file.stat();
    const isPrivate = process.platform === "win32" || (stats.mode & OTHERS_MAY) === 0;
    if (!stats.isFile() || stats.size !== KEY_BYTES || !isPrivate) return undefined;
    return await file.readFile();
  } catch (error) {
    if (["ENOENT", "ELOOP"].includes(systemCode(error) ?? "")) return undefined;
    throw error;
  }
}

async function makeKey(path: string): Promise<Buffer> {
  const key = randomBytes(KEY_BYTES);
  const half = `${path}.${key.subarray(0, 4).toString("hex")}.part`;
  try {
    const file = await open(half, "wx", 0o600);
    await file.writeFile(key).finally(() => file.close());
    await link(half, path);
    return key;
  } catch (error) {
    // Somebody else was as quick.
    const theirs = systemCode(error) === "EEXIST" ? await readKey(path) : undefined;
    if (theirs) return theirs;
    throw error;
  } finally {
    await rm(half, { force: true });
  }
}
