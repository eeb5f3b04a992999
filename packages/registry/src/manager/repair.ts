import { versionKey } from "../versions/version-key.ts";
import type { Context, InstalledPackage } from "./context.ts";
import { isSameVersion } from "./find-package.ts";
import { nothing } from "./install.ts";
import { installedNow, mustBeInstalled } from "./installed-packages.ts";
import { isUnidentified } from "./installing/state-file.ts";
import { UNIDENTIFIED } from "./installing/verify.ts";
import type { Outcome } from "./manager-types.ts";
import { report } from "./outcomes.ts";
import { inspectHeld } from "./prepare.ts";
import { wantedArchive } from "./repositories/wanted-archive.ts";
import { listedKeep, verifyPackages } from "./verify-packages.ts";

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
        if (isWhole) return nothing(has, ["Every file is there and as it was installed."]);
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
  // What it was installed from had its address checked then; a removed repository is no reason to leave it broken.
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
