import { type ErrorCode, exitCodeOf } from "@backplane/contract/problems";

type Details = Readonly<Record<string, unknown>>;

/** What happened and the next step, with a code of the contract's table; `details` are for programs. */
export class ManagerFault extends Error {
  readonly code: ErrorCode;
  readonly exitCode: number;
  readonly details: Details;

  constructor(code: ErrorCode, message: string, details: Details = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = "ManagerFault";
    this.code = code;
    this.exitCode = exitCodeOf(code);
    this.details = details;
  }

  toJSON(): Record<string, unknown> {
    const { code, message, exitCode, details } = this;
    return { code, message, exit_code: exitCode, ...details };
  }
}

/** Why a change was not made; in `details.reason`. */
type InstallationFaultReason =
  /** Another process is working on this installation. */
  | "busy"
  | "closed"
  | "not-installed"
  | "bad-identifier"
  /** Another package is installed in the folder that this one would get. */
  | "folder-taken"
  | "archive-refused"
  /** The archive is not the one that was installed. */
  | "archive-differs"
  /** The new version has a folder where a kept file is, or the other way round. */
  | "kept-in-the-way"
  /** A folder or file of the installation is a symbolic link, or not what it should be. */
  | "link-in-the-way"
  /** The folder for installed_packages.json does not exist. */
  | "no-state-folder"
  /** installed_packages.json cannot be read. */
  | "state-damaged"
  | "journal-damaged"
  | "no-space"
  | "not-permitted"
  | "disk-fault"
  /** It failed and could not be undone yet; the next command finishes it. */
  | "unfinished";

/** A fault of the installation's own files. */
export class InstallationFault extends ManagerFault {
  readonly reason: InstallationFaultReason;

  constructor(reason: InstallationFaultReason, message: string, details: Details = {}, options?: ErrorOptions) {
    const isCode = reason === "busy" || reason === "not-installed" || reason === "archive-refused";
    super(isCode ? reason : "not-applied", message, { reason, ...details }, options);
    this.reason = reason;
  }
}

const FULL = new Set(["ENOSPC", "EDQUOT"]);
const FORBIDDEN = new Set(["EACCES", "EPERM", "EROFS", "EBUSY"]);

/** Explains an error of the operating system; other errors are returned unchanged. */
export function explainSystemError(error: unknown, what: string): unknown {
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
    const message = `${what}: not permitted${at} (${code}). Close programs that use the files, check the permissions, then try again.`;
    return new InstallationFault("not-permitted", message, details, { cause: error });
  }
  if (code === "EXDEV") {
    const message = `${what}: its folders are on different file systems${at}, but files can only be swapped within one. Move the whole root to one file system, then try again.`;
    return new InstallationFault("disk-fault", message, details, { cause: error });
  }
  const message = `${what}: the disk reports ${code}${at}. Check the disk, then try again.`;
  return new InstallationFault("disk-fault", message, details, { cause: error });
}

/** The code of a system error, such as ENOENT. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  return /^E[A-Z0-9]+$/.test(error.code) && "syscall" in error ? error.code : undefined;
}

/** Undefined if the file does not exist. */
export async function ifExists<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
