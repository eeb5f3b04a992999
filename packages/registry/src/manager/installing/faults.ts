export type InstallationFaultCode =
  /** Another process works on this installation. */
  | "busy"
  | "closed"
  | "not-installed"
  | "bad-identifier"
  /** Another package has the folder that this one would get. */
  | "folder-taken"
  | "archive-refused"
  /** The archive is not the one that was installed. */
  | "archive-differs"
  /** A kept file and the new version need the same name for a file and for a folder. */
  | "kept-in-the-way"
  /** Something that must be a folder or a file of the installation is a symbolic link or something else. */
  | "link-in-the-way"
  /** The folder that installed_packages.json is to be in is not there. */
  | "no-state-folder"
  /** installed_packages.json cannot be read. */
  | "state-damaged"
  | "journal-damaged"
  | "no-space"
  | "not-permitted"
  | "disk-fault"
  /** It failed and could not be undone yet; the next opening finishes it. */
  | "unfinished";

/** What happened and the next step, with a stable code; `details` for programs. */
export class InstallationFault extends Error {
  readonly code: InstallationFaultCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: InstallationFaultCode,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "InstallationFault";
    this.code = code;
    this.details = details;
  }
}

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
