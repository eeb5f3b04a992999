import { versionKey } from "../versions/version-key.ts";
import type { Context, InstalledPackage } from "./context.ts";
import { isSameVersion } from "./find-package.ts";
import { nothing } from "./install.ts";
import { installedNow } from "./installed-packages.ts";
import { ManagerFault } from "./manager-fault.ts";
import type { Outcome } from "./manager-types.ts";
import { report } from "./outcomes.ts";
import { carryOut, type Prepared } from "./prepare.ts";

/** One after the other; all were verified before. A pin, and another repository, stop all of it before the first. */
export async function installPrepared(
  context: Context,
  all: readonly Prepared[],
  { dryRun, mayChangeRepository }: { dryRun: boolean; mayChangeRepository: boolean },
): Promise<Outcome[]> {
  const installed = await installedNow(context);
  const steps = all.map((prepared) => ({ prepared, has: installed.get(prepared.package.identifier) }));
  for (const { prepared, has } of steps) mustBeAllowed(prepared, has, mayChangeRepository);
  const outcomes: Outcome[] = [];
  for (const { prepared, has } of steps) {
    outcomes.push(
      await report(prepared.package.identifier, async () => {
        if (has && isThere(prepared, has)) return nothing(has, [`${versionKey(has.current)} is installed.`]);
        return await carryOut(context, prepared, { dryRun, expected: has?.entry });
      }),
    );
  }
  return outcomes;
}

const isThere = ({ version, held }: Prepared, { current, version: recorded }: InstalledPackage): boolean =>
  isSameVersion(current, version) && recorded?.download_sha256 === held.sha256;

function mustBeAllowed(prepared: Prepared, has: InstalledPackage | undefined, mayChangeRepository: boolean): void {
  if (!has || isThere(prepared, has)) return;
  const { identifier } = prepared.package;
  const { pinned, repository_id: id, repository_name: name } = has.entry;
  if (pinned) {
    throw new ManagerFault(
      "pinned",
      `${identifier} is pinned at ${versionKey(has.current)}. Nothing was changed. Unpin it first.`,
      { identifier },
    );
  }
  if (mayChangeRepository || id === "" || id === prepared.repository.id) return;
  throw new ManagerFault(
    "other-repository",
    `${identifier} was installed from ${name}, not from ${prepared.repository.name}. Nothing was changed. Allow the change of repository to go on.`,
    { identifier, installedFrom: name },
  );
}
