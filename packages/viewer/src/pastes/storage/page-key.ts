import { createHmac, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { link, open, rm } from "node:fs/promises";
import { diskProblem, systemCode } from "./disk.ts";
import { pastesFolder } from "./folder.ts";

const KEY_BYTES = 32;
const OTHERS_MAY = 0o077;

/** The key that signs page tokens. Kept in a file, so that open pages work after a restart. */
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

/**
 * Undefined: there is no key, or others can read it. A key file may also have come with the project, from somebody who knows
 * it. So the file's inode and creation time, which an archive cannot choose, are part of the key.
 */
async function readKey(path: string): Promise<Buffer | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stats = await file.stat({ bigint: true });
    const isPrivate = process.platform === "win32" || (Number(stats.mode) & OTHERS_MAY) === 0;
    if (!stats.isFile() || Number(stats.size) !== KEY_BYTES || !isPrivate) return undefined;
    return createHmac("sha256", await file.readFile())
      .update(`${stats.ino}.${stats.birthtimeNs}`)
      .digest();
  } catch (error) {
    if (["ENOENT", "ELOOP"].includes(systemCode(error) ?? "")) return undefined;
    throw error;
  }
}

async function makeKey(path: string): Promise<Buffer> {
  const half = `${path}.${randomBytes(4).toString("hex")}.part`;
  try {
    const file = await open(half, "wx", 0o600);
    await file.writeFile(randomBytes(KEY_BYTES)).finally(() => file.close());
    // If another process was faster, its key is used.
    await link(half, path).catch((error) => {
      if (systemCode(error) !== "EEXIST") throw error;
    });
  } finally {
    await rm(half, { force: true });
  }
  const key = await readKey(path);
  if (!key) throw new Error("The key of the page's tokens cannot be read back.");
  return key;
}
