import { versionKey } from "../../versions/version-numbers.ts";
import { type Context, type InstalledPackage, installedNow, mustBeInstalled } from "../context.ts";
import { ManagerFault } from "../faults.ts";
import { patternsOf } from "../installing/known.ts";
import { isUnidentified } from "../installing/state-file.ts";
import { UNIDENTIFIED } from "../installing/verify.ts";
import type { Outcome, Verified } from "../manager-types.ts";
import { nothing, report } from "../outcomes.ts";
import type { RepositoryList } from "../repositories/lists.ts";
import { publishedManifest } from "../repositories/published-manifest.ts";
import { wantedArchive } from "../repositories/wanted-archive.ts";
import { isSameVersion } from "./find-package.ts";
import { inspectHeld } from "./prepare.ts";

export async function verifyPackages(context: Context, identifiers?: readonly string[]): Promise<Verified[]> {
  const all = await context.useInstallation(async (installation) => {
    if (identifiers === undefined) return await installation.verify();
    const verified: Verified[] = [];
    for (const identifier of identifiers) verified.push(...(await installation.verify(identifier)));
    return verified;
  });
  if (!all.some(isIncomplete)) return all;
  const lists = await context.lists.all();
  const installed = await installedNow(context);
  const completed: Verified[] = [];
  for (const verified of all) {
    const has = isIncomplete(verified) ? installed.get(verified.identifier) : undefined;
    completed.push(has ? await verifyAsPublished(context, lists, verified, has) : verified);
  }
  return completed;
}

const isIncomplete = ({ manifest, note }: Verified): boolean => manifest === "unknown" && note === undefined;

/** Another program installed the package; its repository may publish the list of files. */
async function verifyAsPublished(
  context: Context,
  lists: readonly RepositoryList[],
  verified: Verified,
  has: InstalledPackage,
): Promise<Verified> {
  const { identifier } = verified;
  const list = lists.find(({ id }) => id === has.entry.repository_id);
  if (list?.listed === undefined) return verified;
  try {
    const manifest = await publishedManifest(context.sources, list, { identifier, ...has.current });
    if (manifest === undefined) return verified;
    const published = { manifest, keep: listedKeep(list, has) };
    const [complete] = await context.useInstallation((installation) => installation.verify(identifier, published));
    return complete ?? verified;
  } catch (error) {
    if (!(error instanceof ManagerFault) || error.code === "aborted") throw error;
    return { ...verified, note: error.message };
  }
}

/** The keep_on_update patterns of the installed version, as its repository lists them. */
function listedKeep({ listed }: RepositoryList, has: InstalledPackage): string[] {
  const about = listed?.get(has.package.identifier);
  const version = about?.versions.find((each) => isSameVersion(each, has.current));
  return about && version ? patternsOf(about, version) : [];
}

export async function repairPackages(
  context: Context,
  identifiers: readonly string[] | undefined,
  { dryRun = false }: { dryRun?: boolean },
): Promise<Outcome[]> {
  const installed = await installedNow(context);
  const outcomes: Outcome[] = [];
  for (const identifier of identifiers ?? installed.keys()) {
    outcomes.push(
      await report(identifier, async () => {
        const has = mustBeInstalled(installed, identifier);
        if (isUnidentified(has.entry)) return nothing(has, [UNIDENTIFIED]);
        const [verified] = await verifyPackages(context, [identifier]);
        const isWhole = verified?.manifest === "known" && verified.missing.length + verified.altered.length === 0;
        if (isWhole) return nothing(has, ["All files are intact."]);
        const damage = verified ? [`${verified.missing.length} missing, ${verified.altered.length} altered.`] : [];
        return await repairOne(context, has, damage, dryRun);
      }),
    );
  }
  return outcomes;
}

async function repairOne(context: Context, has: InstalledPackage, notes: string[], dryRun: boolean): Promise<Outcome> {
  const { identifier } = has.package;
  const version = has.version ??
    (await listedVersion(context, has)) ?? { ...has.current, status: "stable", tool_version: "0" };
  // The address was checked when the package was installed. Repair also works if the repository was removed.
  const wanted = wantedArchive(identifier, version, version.download_url ?? "");
  await using held = await context.archives.fetch(wanted);
  await inspectHeld(context, held, wanted.what);
  const list = (await context.lists.atHand()).find(({ id }) => id === has.entry.repository_id);
  const keep = list ? listedKeep(list, has) : [];
  const change = { kind: "repair", identifier, archive: held.file, keep } as const;
  const plan = await context.useInstallation((installation) =>
    dryRun
      ? installation.plan(change)
      : installation.apply(change, ({ done, total }) =>
          context.onProgress({ kind: "unpack", identifier, done, total }),
        ),
  );
  const { repository_id: id, repository_name: name } = has.entry;
  return {
    identifier,
    state: dryRun ? "planned" : "done",
    version: versionKey(has.current),
    repository: { id, name },
    plan,
    notes,
  };
}

async function listedVersion(context: Context, has: InstalledPackage) {
  const lists = await context.lists.all();
  const listed = lists.find(({ id }) => id === has.entry.repository_id)?.listed?.get(has.package.identifier);
  return listed?.versions.find((version) => isSameVersion(version, has.current));
}
