import { InstallationFault } from "../manager-fault.ts";

const FULL = new Set(["ENOSPC", "EDQUOT"]);
const FORBIDDEN = new Set(["EACCES", "EPERM", "EROFS", "EBUSY"]);

/** What the operating system said, for people. Faults that are none of its own come back as they are. */
export function clearFault(error: unknown, what: string): unknown {
  const code = systemCode(error);
  if (code === undefined || error instanceof InstallationFault) return error;
  const path = error instanceof Error && "path" in error ? error.path : undefined;
  const details = { systemCode: code, ...(typeof path === "string" ? { path } : {}) };
  const at = typeof path === "string" ? ` at ${path}` : "";
  if (FULL.has(code)) {
    return new InstallationFault("no-space", `${what}: the disk is full. Free some space, then try again.`, details, {
      cause: error,
    });
  }
  if (FORBIDDEN.has(code)) {
    const message = `${what}: not permitted${at} (${code}). Close programs that use the files, check who may write there, then try again.`;
    return new InstallationFault("not-permitted", message, details, { cause: error });
  }
  if (code === "EXDEV") {
    const message = `${what}: its folders are on different file systems${at}, and files can only be swapped in one step on one. Have the whole root on one, then try again.`;
    return new InstallationFault("disk-fault", message, details, { cause: error });
  }
  const message = `${what}: the disk reports ${code}${at}. Check the disk, then try again.`;
  return new InstallationFault("disk-fault", message, details, { cause: error });
}

/** ENOENT and its kind. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  return /^E[A-Z0-9]+$/.test(error.code) && "syscall" in error ? error.code : undefined;
}

/** Undefined when there is no such file. */
export async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
