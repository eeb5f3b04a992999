import type { Package, PackageVersion } from "@backplane/contract/registry";
import type { Archive } from "../../archives/archive.ts";
import { inspectArchive } from "../../archives/read-archive.ts";
import { versionKey } from "../../versions/version-numbers.ts";
import { type Context, type InstalledPackage, installedNow } from "../context.ts";
import { ManagerFault } from "../faults.ts";
import type { FetchedArchive, InstalledEntry, Outcome, Plan } from "../manager-types.ts";
import { nothing, report } from "../outcomes.ts";
import type { WantedArchive } from "../repositories/wanted-archive.ts";
import { isSameVersion } from "./find-package.ts";

/** Everything needed to install a package, downloaded and verified. */
export type Prepared = AsyncDisposable & {
  package: Package;
  version: PackageVersion;
  held: FetchedArchive;
  archive: Archive;
  repository: { id: string; name: string };
};

export async function inspectHeld(context: Context, held: FetchedArchive, what: string): Promise<Archive> {
  const inspected = await inspectArchive(held.file, context.signal ? { signal: context.signal } : {});
  if ("archive" in inspected) return inspected.archive;
  const { reason, message, path } = inspected.refusal;
  throw new ManagerFault(
    "archive-refused",
    `The archive of ${what} is refused (${reason}): ${message} Nothing was changed.`,
    { reason, ...(path === undefined ? {} : { path }) },
  );
}

/** Downloads to the cache; the installation is not changed. */
export async function prepare(
  context: Context,
  wanted: WantedArchive,
  of: { package: Package; version: PackageVersion; repository: { id: string; name: string } },
): Promise<Prepared> {
  const held = await context.archives.fetch(wanted);
  try {
    const archive = await inspectHeld(context, held, wanted.what);
    const version = { ...of.version, download_sha256: held.sha256, download_size: held.size };
    return { ...of, version, held, archive, [Symbol.asyncDispose]: () => held[Symbol.asyncDispose]() };
  } catch (error) {
    await held[Symbol.asyncDispose]();
    throw error;
  }
}

/** Plans or makes the change, while the installation is locked. */
export async function carryOut(
  context: Context,
  prepared: Prepared,
  options: { dryRun?: boolean | undefined; pin?: boolean | undefined; expected: InstalledEntry | undefined },
): Promise<Outcome> {
  const { identifier } = prepared.package;
  const { version, repository } = prepared;
  const change = {
    kind: "install",
    package: prepared.package,
    version,
    archive: prepared.held.file,
    repository,
    keepPinned: true,
  } as const;
  const plan = await context.useInstallation(async (installation): Promise<Plan> => {
    requireUnchangedSince(options.expected, await installation.list(), prepared);
    if (options.dryRun) return await installation.plan(change);
    const done = await installation.apply(change, ({ done, total }) =>
      context.onProgress({ kind: "unpack", identifier, done, total }),
    );
    if (options.pin) await installation.setPinned(identifier, true);
    return done;
  });
  return {
    identifier,
    state: options.dryRun ? "planned" : "done",
    version: versionKey(version),
    repository,
    plan,
    notes: notesOf(prepared),
  };
}

/** Another process may have installed, updated, removed or pinned the package since. */
function requireUnchangedSince(
  expected: InstalledEntry | undefined,
  entries: readonly InstalledEntry[],
  { package: { identifier }, version, repository }: Prepared,
): void {
  const now = entries.find((entry) => entry.package.identifier === identifier);
  const isAsExpected = [expected?.current_version, version.version].includes(now?.current_version);
  if (expected && !isAsExpected) {
    const what = now ? `is now at ${now.current_version}` : "was uninstalled in the meantime";
    throw new ManagerFault("busy", `${identifier} ${what}. Nothing was changed. Run the command again.`, {
      identifier,
    });
  }
  if (!now) return;
  if (now.pinned && !expected?.pinned) {
    throw new ManagerFault("pinned", `${identifier} was pinned in the meantime. Nothing was changed.`, { identifier });
  }
  if (now.repository_id === expected?.repository_id || now.repository_id === repository.id) return;
  throw new ManagerFault(
    "other-repository",
    `${identifier} was installed from ${now.repository_name} in the meantime. Nothing was changed.`,
    { identifier, installedFrom: now.repository_name },
  );
}

function notesOf({ package: listed, archive }: Prepared): string[] {
  try {
    const { identifier } = JSON.parse(archive.metadata) as { identifier?: unknown };
    if (typeof identifier !== "string" || identifier === listed.identifier) return [];
    return [`The archive's own metadata.json says that it is ${identifier}.`];
  } catch {
    return ["The archive's own metadata.json cannot be read."];
  }
}

/** Installs packages that were all verified before. If one is pinned or comes from another repository, none is installed. */
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
    `${identifier} was installed from ${name}, not from ${prepared.repository.name}. Nothing was changed. To continue, allow the change of repository.`,
    { identifier, installedFrom: name },
  );
}
