import { constants, readFileSync } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { jsonFields } from "@backplane/kit/json-fields";
import { diskProblem } from "./disk.ts";
import { pastesFolder } from "./folder.ts";

/** Tells commands on this machine which process serves the project, and the secret to call it with. */
export type ServerFile = { url: string; secret: string; pid: number };

/** `started` tells the process from a later one with the same pid. */
type Stored = ServerFile & { started: string };

const MAX_URL_CHARACTERS = 2_000;
const MAX_SECRET_CHARACTERS = 200;

const MAX_BYTES = 8_192;
const OTHERS_MAY = 0o077;

export async function writeServerFile(project: string, { url, secret, pid }: ServerFile): Promise<void> {
  const path = pastesFolder(project).server;
  const half = `${path}.${pid}.part`;
  try {
    await rm(half, { force: true });
    const file = await open(half, "wx", 0o600);
    await file.writeFile(JSON.stringify({ url, secret, pid, started: startOf(pid) })).finally(() => file.close());
    await rename(half, path);
  } catch (error) {
    throw diskProblem(error);
  }
}

/**
 * Undefined if no process serves the project. A file that others can read was not written by us: it came with the project,
 * and would send calls to its author's server.
 */
export async function readServerFile(project: string): Promise<ServerFile | undefined> {
  try {
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    await using file = await open(pastesFolder(project).server, flags);
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > MAX_BYTES || (process.platform !== "win32" && stats.mode & OTHERS_MAY)) {
      return undefined;
    }
    const stored = storedIn(await file.readFile("utf8"));
    if (!stored || !(await isRunning(stored.pid, stored.started))) return undefined;
    const { url, secret, pid } = stored;
    return { url, secret, pid };
  } catch {
    return undefined;
  }
}

/** By hand, because every command that asks a viewer reads this, and a validator takes longer to load than the rest of it. */
function storedIn(text: string): Stored | undefined {
  const { url, secret, pid, started } = jsonFields(text) ?? {};
  if (typeof url !== "string" || !/^https?:\/\//.test(url) || url.length > MAX_URL_CHARACTERS) return undefined;
  if (typeof secret !== "string" || secret === "" || secret.length > MAX_SECRET_CHARACTERS) return undefined;
  if (typeof started !== "string" || !Number.isSafeInteger(pid) || Number(pid) < 1) return undefined;
  return { url, secret, pid: Number(pid), started };
}

export async function removeServerFile(project: string): Promise<void> {
  await rm(pastesFolder(project).server, { force: true });
}

async function isRunning(pid: number, started: string): Promise<boolean> {
  if (startOf(pid) !== started) return false;
  if (started !== "") return process.getuid === undefined || (await stat(`/proc/${pid}`)).uid === process.getuid();
  process.kill(pid, 0);
  return true;
}

const FIELDS_AFTER_COMMAND = 19;

/** When a process started, in clock ticks since boot. Empty on systems without /proc. */
function startOf(pid: number): string {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "utf8");
    return line.slice(line.lastIndexOf(")") + 2).split(" ")[FIELDS_AFTER_COMMAND] ?? "";
  } catch {
    return "";
  }
}
