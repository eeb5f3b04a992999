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
export type InstallationFaultReason =
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
