import { type ErrorCode, EXIT } from "@backplane/contract/problems";
import { ManagerFault } from "@backplane/registry/manager";
import type { Refusal } from "../connect/refusal.ts";
import { plain } from "./words.ts";

/** What stands against it, and the option that overrides it: the manager itself knows no options. */
const NEXT_STEPS: Partial<Record<ErrorCode, string>> = {
  "not-compatible": "--force installs it all the same.",
  "no-sha256": "--allow-unverified installs it all the same.",
  "other-repository": "--change-repository allows it.",
  pinned: "Unpin it with: backplane pkg unpin <package>",
  "no-repositories": "Add one with: backplane pkg repo add <url>",
  offline: "Leave out --offline to ask it.",
};

export const nextStepOf = ({ code }: { code: ErrorCode }): string | undefined => NEXT_STEPS[code];

/** What the manager or the disk refuses. Anything else is a fault of ours, and thrown. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof ManagerFault) {
    // Names and texts of repositories are in it.
    const lines = [plain(error.message).replace(/(?<=\.) (?=[A-Z])/, "\n"), nextStepOf(error)];
    return { code: error.code, message: lines.filter(Boolean).join("\n"), exit: error.exitCode };
  }
  if (!isSystemError(error)) throw error;
  const at = error.path === undefined ? "" : ` at ${plain(error.path)}`;
  return {
    code: "disk",
    message: `This was not done: the disk reports ${error.code}${at}.\nCheck the path and who may write there, then try again.`,
    exit: EXIT.failed,
  };
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && "syscall" in error && "code" in error;
