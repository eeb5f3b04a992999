import type { Package, PackageVersion } from "@backplane/contract/registry";
import { explainPreferred, explainUpdate, preferredVersion, updateVersion } from "../../versions/choose-version.ts";
import { whyIncompatible } from "../../versions/compatibility.ts";
import { versionKey } from "../../versions/version-numbers.ts";
import { type Context, type InstalledPackage, installedNow } from "../context.ts";
import { ManagerFault } from "../faults.ts";
import type { InstallOptions, Outcome } from "../manager-types.ts";
import { nothing, report } from "../outcomes.ts";
import { findRepository } from "../repositories/configured.ts";
import type { RepositoryList } from "../repositories/lists.ts";
import { wantedArchive } from "../repositories/wanted-archive.ts";
import { findPackage, findVersion, isSameVersion, readSpec, type Spec } from "./find-package.ts";
import { carryOut, prepare } from "./prepare.ts";

export async function installPackages(
  context: Context,
  specs: readonly string[],
  options: InstallOptions,
): Promise<Outcome[]> {
  const lists = await context.lists.all();
  const installed = await installedNow(context);
  const outcomes: Outcome[] = [];
  for (const text of specs) {
    outcomes.push(
      await report(text, async () => {
        const spec = readSpec(text, options.version);
        return await report(spec.identifier, () =>
          installOne(context, lists, installed.get(spec.identifier), spec, options),
        );
      }),
    );
  }
  return outcomes;
}

/** What to install: the version, and the repository it comes from. */
type Target = { package: Package; version: PackageVersion; list: RepositoryList };

async function installOne(
  context: Context,
  lists: readonly RepositoryList[],
  has: InstalledPackage | undefined,
  spec: Spec,
  options: InstallOptions,
): Promise<Outcome> {
  const { identifier } = spec;
  const bound = boundTo(lists, has, spec, options.changeRepository);
  const found = findPackage(lists, spec, bound);
  mustBeCurrent(found.list);
  if (has && spec.version === undefined && found.list.id === has.entry.repository_id) {
    const newer = has.entry.pinned ? undefined : findUpdate(context, found.package, has);
    if (!newer) return nothing(has, [`${versionKey(has.current)} is installed. To install another version, name it.`]);
    return await carryOutTarget(context, { ...found, version: newer }, has, options);
  }
  const { version } = versionFor(context, found, spec, options);
  const isThere = has && isSameVersion(has.current, version) && has.entry.repository_id === found.list.id;
  if (isThere) return nothing(has, [`${versionKey(has.current)} is installed.`]);
  if (has?.entry.pinned) {
    throw new ManagerFault(
      "pinned",
      `${identifier} is pinned at ${versionKey(has.current)}. Unpin it, then install ${versionKey(version)}.`,
      { identifier },
    );
  }
  return await carryOutTarget(context, { ...found, version }, has, options);
}

/** For another machine, whose installed packages are not known. */
export function chooseTarget(
  context: Context,
  lists: readonly RepositoryList[],
  spec: Spec,
  options: InstallOptions,
): Target {
  const found = findPackage(lists, spec);
  mustBeCurrent(found.list);
  return versionFor(context, found, spec, options);
}

function versionFor(
  context: Context,
  found: { package: Package; list: RepositoryList },
  { version: asked }: Spec,
  options: InstallOptions,
): Target {
  const { package: listed, list } = found;
  const version = asked
    ? mustFit(context, listed, findVersion(listed, asked.number, asked.text), options)
    : preferred(context, listed, options);
  return { package: listed, list, version };
}

/** The repository that the package was installed from, unless it may change. */
function boundTo(
  lists: readonly RepositoryList[],
  has: InstalledPackage | undefined,
  { identifier, repository }: Spec,
  mayChange = false,
): { id: string; name: string } | undefined {
  if (!has || mayChange || has.entry.repository_id === "") return undefined;
  const { repository_id: id, repository_name: name } = has.entry;
  if (repository === undefined) return { id, name };
  const named = findRepository(lists, repository);
  if (named.id === id) return undefined;
  throw new ManagerFault(
    "other-repository",
    `${identifier} was installed from ${name}, not from ${named.name}. Nothing was changed. To take it from there, allow the change of repository.`,
    { identifier, installedFrom: name, named: named.name },
  );
}

/** Somebody may be holding back newer lists, which may withdraw a version. */
export function mustBeCurrent({ isExpired, name }: RepositoryList): void {
  if (!isExpired) return;
  throw new ManagerFault(
    "index-refused",
    `The signed list of ${name} has expired, and no newer one can be downloaded. Nothing is installed from it. Try again online, or install from a lock file or a bundle.`,
    { reason: "expired", repository: name },
  );
}

function preferred({ tool }: Context, listed: Package, { force }: InstallOptions): PackageVersion {
  const best = preferredVersion(listed.versions, listed.type, tool);
  if (best) return best;
  const explained = explainPreferred(listed.versions, listed.type, tool);
  const [latest] = explained;
  if (!latest) {
    throw new ManagerFault("version-unknown", `All versions of ${listed.identifier} were withdrawn.`, {
      identifier: listed.identifier,
    });
  }
  if (force) return latest.listed;
  throw new ManagerFault(
    "not-compatible",
    `No version of ${listed.identifier} works here: ${versionKey(latest.listed)} ${latest.because}. See explain for the others.`,
    {
      identifier: listed.identifier,
      versions: explained.map(({ listed: { version }, because }) => ({ version, because })),
    },
  );
}

function mustFit(
  { tool }: Context,
  listed: Package,
  version: PackageVersion,
  { force }: InstallOptions,
): PackageVersion {
  const why = whyIncompatible(version, listed.type, tool);
  if (why === undefined || force) return version;
  throw new ManagerFault(
    "not-compatible",
    `${listed.identifier} ${versionKey(version)} does not work here: it ${why}. Choose another version, or force it.`,
    { identifier: listed.identifier, version: versionKey(version), because: why },
  );
}

/** By the rule for updates. The repository knows the status of the installed version best. */
export function findUpdate({ tool }: Context, listed: Package, has: InstalledPackage): PackageVersion | undefined {
  return updateVersion(listed.versions, listed.type, tool, statusOf(listed, has));
}

export const explainUpdateOf = ({ tool }: Context, listed: Package, has: InstalledPackage) =>
  explainUpdate(listed.versions, listed.type, tool, statusOf(listed, has));

function statusOf(listed: Package, { current, version }: InstalledPackage) {
  const now = listed.versions.find((candidate) => isSameVersion(candidate, current));
  return { ...current, status: now?.status ?? version?.status ?? "stable" } as const;
}

/** Downloads, verifies and installs, unless another process changed the package in the meantime. */
export async function carryOutTarget(
  context: Context,
  target: Target,
  has: InstalledPackage | undefined,
  options: Pick<InstallOptions, "dryRun" | "allowUnverified" | "pin">,
): Promise<Outcome> {
  const { identifier } = target.package;
  const { id, name, url } = target.list;
  const wanted = wantedArchive(identifier, target.version, url, options.allowUnverified);
  await using prepared = await prepare(context, wanted, { ...target, repository: { id, name } });
  return await carryOut(context, prepared, { ...options, expected: has?.entry });
}
