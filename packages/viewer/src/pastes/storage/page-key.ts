import { createHmac, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { link, open, rm } from "node:fs/promises";
import { diskProblem, systemCode } from "./disk.ts";
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

/**
 * One that others may read came with the project, and its maker knows it. An archive can bring one that nobody else may
 * read, but not say as which file and when it was made here: that is part of the key.
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
    // Somebody else may be as quick: then theirs is the key.
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
