import type { Package, PackageVersion } from "@backplane/contract/registry";
import { toNeutral } from "../metadata/brands.ts";
import type { Tool } from "../versions/choose-version.ts";
import { ManagerFault } from "./faults.ts";
import type { Installation } from "./installing/installation.ts";
import type { InstalledEntry, Progress } from "./manager-types.ts";
import type { ArchiveCache } from "./repositories/archive-cache.ts";
import type { Configured } from "./repositories/configured.ts";
import type { ListSources } from "./repositories/fetch-list.ts";
import type { Lists } from "./repositories/lists.ts";
import type { Transport } from "./repositories/transport.ts";

/** What is installed of one package, in the neutral spelling. */
export type InstalledPackage = {
  entry: InstalledEntry;
  package: Package;
  /** As its metadata had it when it was installed; a field's client may have left it out. */
  version: PackageVersion | undefined;
  current: { version: string; version_epoch: number };
};

/** What the manager's calls work with. */
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
  /** The installation is locked while `act` runs. */
  useInstallation<Result>(act: (installation: Installation) => Promise<Result>): Promise<Result>;
};

/** All that is installed, by identifier. */
async function readInstalled({ brand }: Context, installation: Installation): Promise<Map<string, InstalledPackage>> {
  const installed = new Map<string, InstalledPackage>();
  for (const entry of await installation.list()) {
    const { identifier } = entry.package;
    const manifest = await installation.manifestOf(identifier);
    // A manifest without an epoch says that it is 0; without a manifest nobody knows.
    installed.set(identifier, asInstalled(entry, brand, manifest && (manifest.version_epoch ?? 0)));
  }
  return installed;
}

export const installedNow = (context: Context): Promise<Map<string, InstalledPackage>> =>
  context.useInstallation((installation) => readInstalled(context, installation));

/** The field writes no epoch: where the metadata has the version with several, the highest. */
function asInstalled(entry: InstalledEntry, brand: string, epoch: number | undefined): InstalledPackage {
  const neutral = toNeutral(entry.package, brand) as Package;
  // The list in the entry is another program's: it may be anything.
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
  throw new ManagerFault("not-installed", `${identifier} is not installed. List what is, or check the spelling.`, {
    identifier,
  });
}
