import { OAuthError } from "../errors.ts";

/** A token file, or the folder of them all, that the operating system does not let us read. */
export function unreadable(path: string, cause: unknown): OAuthError {
  const reason = systemCode(cause) ?? "no access";
  return new OAuthError(
    "token-file-unreadable",
    `${path} cannot be read (${reason}). Give this account access to it, or remove it and connect again.`,
    { path, cause },
  );
}

/** Does what changes files; a disk that is full or not ours is told as such. */
export async function writing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const reason = systemCode(cause);
    if (reason === undefined) throw cause;
    throw new OAuthError(
      "token-file-unwritable",
      `${path} cannot be written (${reason}). Check that this account may and that the disk has room, then try again.`,
      { path, cause },
    );
  }
}

export const isSystemError = (error: unknown, code: string): boolean => systemCode(error) === code;

/** What the operating system calls it, such as ENOENT; undefined for errors that are not its own. */
export function systemCode(error: unknown): string | undefined {
  const isSystems = error instanceof Error && "syscall" in error && "code" in error;
  return isSystems && typeof error.code === "string" ? error.code : undefined;
}
