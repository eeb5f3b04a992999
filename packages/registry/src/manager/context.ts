import type { Package, PackageVersion } from "@backplane/contract/registry";
import { toNeutral } from "../metadata/brands.ts";
import type { Tool } from "../versions/compatibility.ts";
import { ManagerFault } from "./faults.ts";
import type { Installation } from "./installing/installation.ts";
import type { InstalledEntry, Progress } from "./manager-types.ts";
import type { ArchiveCache } from "./repositories/archive-cache.ts";
import type { Configured } from "./repositories/configured.ts";
import type { ListSources } from "./repositories/fetch-list.ts";
import type { Lists } from "./repositories/lists.ts";
import type { Transport } from "./repositories/transport.ts";

/** An installed package, in the neutral spelling. */
export type InstalledPackage = {
  entry: InstalledEntry;
  package: Package;
  /** From the metadata when it was installed; other programs may have left it out. */
  version: PackageVersion | undefined;
  current: { version: string; version_epoch: number };
};

/** What the commands of the manager work with. */
export type Context = {
  root: string;
  brand: string;
  tool: Tool;
  now: () => number;
  signal: AbortSignal | undefined;
  transport: Transport;
  sources: ListSources;
  configured: Configured;
  lists: Lists;
  archives: ArchiveCache;
  onProgress: (progress: Progress) => void;
  /** Locks the installation while `act` runs. */
  useInstallation<Result>(act: (installation: Installation) => Promise<Result>): Promise<Result>;
};

/** Everything that is installed, by identifier. */
async function readInstalled({ brand }: Context, installation: Installation): Promise<Map<string, InstalledPackage>> {
  const installed = new Map<string, InstalledPackage>();
  for (const entry of await installation.list()) {
    const { identifier } = entry.package;
    const manifest = await installation.manifestOf(identifier);
    // A manifest without an epoch means 0; without a manifest the epoch is unknown.
    installed.set(identifier, asInstalled(entry, brand, manifest && (manifest.version_epoch ?? 0)));
  }
  return installed;
}

export const installedNow = (context: Context): Promise<Map<string, InstalledPackage>> =>
  context.useInstallation((installation) => readInstalled(context, installation));

/** KiCad does not record the epoch: if the metadata has the version in several epochs, the highest counts. */
function asInstalled(entry: InstalledEntry, brand: string, epoch: number | undefined): InstalledPackage {
  const neutral = toNeutral(entry.package, brand) as Package;
  // Other programs write this list too, so it may be anything.
  const listed: readonly PackageVersion[] = Array.isArray(neutral.versions) ? neutral.versions : [];
  const same = listed
    .filter((each) => each?.version === entry.current_version)
    .sort((a, b) => (b.version_epoch ?? 0) - (a.version_epoch ?? 0));
  const version = same.find(({ version_epoch = 0 }) => version_epoch === epoch) ?? same[0];
  const current = { version: entry.current_version, version_epoch: epoch ?? version?.version_epoch ?? 0 };
  return { entry, package: neutral, version, current };
}

export function mustBeInstalled(
  installed: ReadonlyMap<string, InstalledPackage>,
  identifier: string,
): InstalledPackage {
  const found = installed.get(identifier);
  if (found) return found;
  throw new ManagerFault(
    "not-installed",
    `${identifier} is not installed. Check the spelling, or list what is installed.`,
    {
      identifier,
    },
  );
}
