import { Problem } from "@backplane/kit/problems";

export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === "string" ? code : undefined;
}

export const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "");

const NO_ROOM = ["ENOSPC", "EDQUOT", "EFBIG"];
const SENTENCES: Readonly<Record<string, string>> = {
  EACCES: "The viewer may not write in the project's screenshots/sp/. Give it the right to, then try again.",
  EPERM:
    "The system does not let the viewer write in the project's screenshots/sp/. It must be on a disk that takes hard links.",
  ENOTSUP: "The disk takes no hard links. Keep the project on another one.",
  EOPNOTSUPP: "The disk takes no hard links. Keep the project on another one.",
  EMLINK: "The disk takes no more links of this file.",
  EXDEV: "The folder and what is in it are on different disks.",
  EROFS: "The disk is read-only.",
  ELOOP: "There is a symbolic link, which is not followed.",
  ENOTDIR: "There is a file where the folder should be.",
  ENOENT: "The folder was moved or removed. Start the viewer again.",
  ENAMETOOLONG: "The path of the project is too long for the names of its files. Keep it in another place.",
  EIO: "The disk has a fault.",
};

/** What a caller is told when the file system says no. Faults of another kind stay what they are. */
export function diskProblem(error: unknown): unknown {
  const code = systemCode(error);
  if (error instanceof Problem || code === undefined) return error;
  if (NO_ROOM.includes(code)) {
    return new Problem("disk-full", { detail: "The disk is full. Make room, then try again.", cause: error });
  }
  const detail = SENTENCES[code];
  return detail === undefined ? error : new Problem("folder-refused", { detail, cause: error });
}
