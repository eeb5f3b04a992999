import { Problem, type ProblemCode } from "./problems.ts";

type Outage = readonly [code: ProblemCode, detail: string];

const UNTIL_REPAIRED = "It works again when the operator has corrected that.";
const unavailable = (why: string): Outage => ["disk-unavailable", `${why} ${UNTIL_REPAIRED}`];
const FULL: Outage = ["disk-full", "The disk is full. It works again when the operator has freed some space."];
const READ_ONLY = unavailable("The disk is read-only.");
const MISSING = unavailable("A folder or file of Backplane is missing.");
const NOT_ALLOWED = unavailable("Backplane has no permission to write to its folder.");
const FAULTY = unavailable("The disk reports errors.");
const NO_DESCRIPTORS: Outage = [
  "out-of-descriptors",
  "Too many files and connections are open. Try again in a moment; if it lasts, the operator must raise the limit (ulimit -n).",
];

const OF_SYSTEM: Readonly<Record<string, Outage>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EROFS: READ_ONLY,
  ENOENT: MISSING,
  ENOTDIR: MISSING,
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  EIO: FAULTY,
  EMFILE: NO_DESCRIPTORS,
  ENFILE: NO_DESCRIPTORS,
};

/** By primary result code (https://sqlite.org/rescode.html). The last is "cannot open": the file, or the ones beside it. */
const OF_SQLITE: Readonly<Record<number, Outage>> = { 8: READ_ONLY, 10: FAULTY, 13: FULL, 14: MISSING };

const OUTAGES: ReadonlySet<string> = new Set(["disk-full", "disk-unavailable", "out-of-descriptors"]);

/** Whether a person must repair something on this machine. Everybody who calls meanwhile gets the same answer. */
export const isOutage = (error: unknown): error is Problem => error instanceof Problem && OUTAGES.has(error.code);

/** What an error of the file system, or of SQLite about its file, is for the caller; undefined for other errors. */
export function systemProblem(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall, errcode } = error as { code?: string; syscall?: string; errcode?: number };
  const outage = errcode === undefined ? outageOf(code ?? "", syscall) : OF_SQLITE[errcode & 0xff];
  return outage && new Problem(outage[0], { detail: outage[1], cause: error });
}

/** Errors of a connection say something about the other side, except that there is no descriptor for it. */
function outageOf(code: string, syscall: string | undefined): Outage | undefined {
  const outage = syscall === undefined ? undefined : OF_SYSTEM[code];
  return syscall === "connect" && outage !== NO_DESCRIPTORS ? undefined : outage;
}

/** For files that should be there and are not. */
export const fileMissing = (): Problem => new Problem(MISSING[0], { detail: MISSING[1] });
