import type { Verified } from "./installed.ts";
import { clearFault, InstallationFault } from "./installing/faults.ts";
import { MANAGER_EXIT, ManagerFault } from "./manager-fault.ts";
import type { Outcome } from "./manager-types.ts";

/** One package of a call: what goes wrong with it is told, and is no reason to leave the others. */
export async function report(identifier: string, act: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await act();
  } catch (error) {
    const fault = asManagerFault(error);
    if (!(fault instanceof ManagerFault) || fault.code === "aborted") throw fault;
    return { identifier, state: "failed", notes: [], fault };
  }
}

/** 0 when nothing failed; else that of the failures, when they are of one kind. */
export function exitCodeOf(outcomes: readonly Outcome[]): number {
  const codes = new Set(outcomes.flatMap(({ fault }) => (fault ? [fault.exitCode] : [])));
  const [first = MANAGER_EXIT.done] = codes;
  return codes.size > 1 ? MANAGER_EXIT.unexpected : first;
}

/** Files beside the package's own are nothing bad. */
export const exitCodeOfVerified = (verified: readonly Verified[]): number =>
  verified.some(({ missing, altered }) => missing.length + altered.length > 0)
    ? MANAGER_EXIT.damaged
    : MANAGER_EXIT.done;

/** What the installation or the disk refuses, as the manager's own; other errors as they are. */
export function asManagerFault(thrown: unknown): unknown {
  const error = clearFault(thrown, "This was not done");
  if (!(error instanceof InstallationFault)) return error;
  const { code, message, details } = error;
  const own = code === "busy" || code === "not-installed" || code === "archive-refused" ? code : "not-applied";
  return new ManagerFault(own, message, { ...details, reason: details.reason ?? code }, { cause: error });
}
