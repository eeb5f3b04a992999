import type { Package, PackageVersion } from "@backplane/contract/registry";
import type { ArchiveFile } from "../../archives/archive.ts";
import { toBrand } from "../../metadata/brands.ts";
import { InstallationFault } from "../faults.ts";
import type { InstalledEntry, Plan } from "../manager-types.ts";
import { compareFiles } from "./compare.ts";
import { type Known, knownPackage, listedVersion, patternsOf, type Remembered } from "./known.ts";
import { type Layout, requireIdentifier } from "./layout.ts";
import { entriesOf, isUnidentified, type RawEntry, readState, sharesFolder } from "./state-file.ts";

/** Installing an installed package is an update, or a reinstall of the same version. */
export type Change =
  | {
      kind: "install";
      /** In the neutral spelling. */
      package: Package;
      version: PackageVersion;
      /** A file whose sha256 and size are verified. */
      archive: string;
      repository: { id: string; name: string };
      /** False removes the pin of the previous version. */
      keepPinned?: boolean;
    }
  | { kind: "uninstall"; identifier: string }
  /**
   * Restores missing and altered files from the archive of the installed version. `keep` has the keep_on_update patterns
   * of that version, in case they are not known here.
   */
  | { kind: "repair"; identifier: string; archive: string; keep?: readonly string[] };

/** While the archive is unpacked: the file that was just written, and the bytes done so far and in total. */
export type InstallProgress = { identifier: string; path: string; done: number; total: number };

export const identifierOf = (change: Change): string =>
  change.kind === "install" ? change.package.identifier : change.identifier;

/** The plan, and what is needed to make the change. */
export type Planned = {
  plan: Plan;
  /** Files that move from the old folders to the new ones. */
  carried: string[];
  entry: RawEntry | null;
  remembered: Remembered | undefined;
};

/** Changes nothing. `incoming` are the files of the change's archive. */
export async function planChange(
  layout: Layout,
  change: Change,
  incoming: readonly ArchiveFile[],
  { brand, now }: { brand: string; now: () => number },
): Promise<Planned> {
  const identifier = identifierOf(change);
  requireIdentifier(identifier);
  const installed = await findInstalled(layout, identifier);
  const target = targetOf(change, installed, brand, now);
  if (change.kind === "repair" && installed?.manifest) requireSame(identifier, installed.manifest.files, incoming);
  const { carried, warnings, ...lists } = await compareFiles({
    root: layout.root,
    identifier,
    incoming,
    manifest: installed?.manifest,
    isInstalled: installed !== undefined,
    patterns: target?.patterns ?? [],
    isRepair: change.kind === "repair",
  });
  const from = installed?.entry.current_version;
  const plan: Plan = {
    identifier,
    kind: kindOf(change, from, target?.version.version),
    ...(from === undefined ? {} : { from }),
    ...(target === undefined ? {} : { to: target.version.version }),
    ...lists,
    downloadBytes: change.kind === "uninstall" ? 0 : (target?.version.download_size ?? 0),
    installBytes: incoming.reduce((sum, { size }) => sum + size, 0),
    warnings: [...warnings, ...unknownWarning(installed, change)],
  };
  return {
    plan,
    carried,
    entry: target?.entry ?? null,
    remembered: target && rememberedFrom(identifier, target, incoming),
  };
}

function rememberedFrom(identifier: string, target: Target, files: readonly ArchiveFile[]): Remembered {
  const { version, version_epoch } = target.version;
  const manifest = { identifier, version, ...(version_epoch ? { version_epoch } : {}), files: [...files] };
  return { identifier, version, manifest, keep: target.patterns, pinned: target.pinned };
}

async function findInstalled(layout: Layout, identifier: string): Promise<Known | undefined> {
  const state = await readState(layout);
  const other = entriesOf(state).find((entry) => {
    const each = entry.package.identifier;
    return each !== identifier && sharesFolder(each, identifier) && !isUnidentified(entry);
  });
  if (other !== undefined) {
    const message = `${other.package.identifier} is installed in the folder that ${identifier} needs. Uninstall it first.`;
    throw new InstallationFault("folder-taken", message, { identifier: other.package.identifier });
  }
  return await knownPackage(layout, state, identifier);
}

type Target = { version: PackageVersion; patterns: string[]; pinned: boolean; entry: RawEntry };

/** What is installed afterwards; undefined for an uninstall. */
function targetOf(change: Change, installed: Known | undefined, brand: string, now: () => number): Target | undefined {
  if (change.kind === "install") {
    const { package: pkg, version, repository, keepPinned = true } = change;
    const pinned = keepPinned && installed?.entry.pinned === true;
    const entry = {
      ...installed?.raw,
      package: toBrand(pkg, brand),
      current_version: version.version,
      repository_id: repository.id,
      repository_name: repository.name,
      install_timestamp: Math.floor(now() / 1000),
      pinned,
    };
    return { version, patterns: patternsOf(pkg, version), pinned, entry };
  }
  if (installed === undefined) {
    throw new InstallationFault("not-installed", `${change.identifier} is not installed.`, {
      identifier: change.identifier,
    });
  }
  if (change.kind === "uninstall") return undefined;
  const { entry, raw, keep } = installed;
  const patterns = keep.length > 0 ? keep : [...(change.keep ?? [])];
  return { version: installedVersion(entry), patterns, pinned: entry.pinned, entry: raw };
}

function kindOf(change: Change, from: string | undefined, to: string | undefined): Plan["kind"] {
  if (change.kind === "uninstall") return "uninstall";
  if (from === undefined) return "install";
  return from === to ? "reinstall" : "update";
}

function unknownWarning(installed: Known | undefined, change: Change): string[] {
  if (installed === undefined || installed.manifest !== undefined || change.kind === "repair") return [];
  return ["Another program installed this package, so files that were changed by hand cannot be detected."];
}

function requireSame(identifier: string, expected: readonly ArchiveFile[], files: readonly ArchiveFile[]): void {
  const text = ({ path, size, sha256 }: ArchiveFile) => `${path}\n${size}\n${sha256}`;
  const known = new Set(expected.map(text));
  if (known.size === files.length && files.every((file) => known.has(text(file)))) return;
  const message = `The archive is not the one that ${identifier} was installed from. Install it again instead of repairing it.`;
  throw new InstallationFault("archive-differs", message, { identifier });
}

const installedVersion = (entry: InstalledEntry): PackageVersion =>
  listedVersion(entry) ?? { version: entry.current_version, status: "stable", tool_version: "0" };
