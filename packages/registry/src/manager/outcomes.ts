import { EXIT } from "@backplane/contract/problems";
import { versionKey } from "../versions/version-numbers.ts";
import type { InstalledPackage } from "./context.ts";
import { explainSystemError, ManagerFault } from "./faults.ts";
import type { Outcome, Verified } from "./manager-types.ts";

/** Runs the work for one package; a fault becomes its outcome, so the other packages continue. */
export async function report(identifier: string, act: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await act();
  } catch (error) {
    const fault = asManagerFault(error);
    if (!(fault instanceof ManagerFault) || fault.code === "aborted") throw fault;
    return { identifier, state: "failed", notes: [], fault };
  }
}

/** 0 if nothing failed; the failures' exit code if it is the same for all; otherwise 1. */
export function exitCodeOfOutcomes(outcomes: readonly { fault?: ManagerFault | undefined }[]): number {
  const codes = new Set(outcomes.flatMap(({ fault }) => (fault ? [fault.exitCode] : [])));
  const [first = EXIT.done] = codes;
  return codes.size > 1 ? EXIT.failed : first;
}

/** Extra files are not a failure. */
export const exitCodeOfVerified = (verified: readonly Verified[]): number =>
  verified.some(({ missing, altered }) => missing.length + altered.length > 0) ? EXIT.failed : EXIT.done;

/** What the operating system refused, as a fault that says so; other errors as they are. */
export const asManagerFault = (thrown: unknown): unknown => explainSystemError(thrown, "This was not done");

/** The outcome when there is nothing to do. */
export const nothing = ({ entry, current }: InstalledPackage, notes: string[]): Outcome => ({
  identifier: entry.package.identifier,
  state: "nothing",
  version: versionKey(current),
  repository: { id: entry.repository_id, name: entry.repository_name },
  notes,
});
