import { chmod, mkdir, readdir, readFile, rm, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { syncFolder, writeFileAtomically } from "@backplane/kit/atomic-file";
import { OAuthError } from "../errors.ts";

const OTHERS_BITS = 0o077;
const OWNER_ONLY = 0o600;

/** Creates the folder, or removes the access of other accounts. */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const hasModes = process.platform !== "win32";
  if (hasModes && ((await stat(path)).mode & OTHERS_BITS) !== 0) await chmod(path, 0o700);
}

/** Undefined if there is no such file. */
export async function readFileText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isSystemError(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** After a crash at any time the file has the old text or the new one. Callers hold the lock. */
export async function replaceText(path: string, text: string): Promise<void> {
  await removeTemporaries(path);
  await writeFileAtomically(path, text, OWNER_ONLY);
  await syncFolder(dirname(path));
}

/** Returns whether the file existed. Callers hold the lock. */
export async function removeFile(path: string): Promise<boolean> {
  await removeTemporaries(path);
  try {
    await unlink(path);
  } catch (error) {
    if (isSystemError(error, "ENOENT")) return false;
    throw error;
  }
  await syncFolder(dirname(path));
  return true;
}

/** A process that was killed while writing leaves a copy of the tokens behind. */
async function removeTemporaries(path: string): Promise<void> {
  const names = await readdir(dirname(path));
  const isTemporary = (name: string) => name.startsWith(`${basename(path)}.`) && name.endsWith(".tmp");
  for (const name of names.filter(isTemporary)) await rm(join(dirname(path), name), { force: true });
}

/** For a token file, or the folder of token files, that the operating system does not let us read. */
export function unreadable(path: string, cause: unknown): OAuthError {
  const reason = systemCode(cause) ?? "no access";
  return new OAuthError(
    "token-file-unreadable",
    `${path} cannot be read (${reason}). Give this account access to it, or remove it and connect again.`,
    { path, cause },
  );
}

/** Runs code that changes files, and reports faults of the disk as such. */
export async function writing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const reason = systemCode(cause);
    if (reason === undefined) throw cause;
    throw new OAuthError(
      "token-file-unwritable",
      `${path} cannot be written (${reason}). Check that this account has access and that the disk is not full, then try again.`,
      { path, cause },
    );
  }
}

export const isSystemError = (error: unknown, code: string): boolean => systemCode(error) === code;

/** The operating system's name for it, such as ENOENT; undefined for other errors. */
export function systemCode(error: unknown): string | undefined {
  const isSystems = error instanceof Error && "syscall" in error && "code" in error;
  return isSystems && typeof error.code === "string" ? error.code : undefined;
}
