import { type ArchiveFile, folderOf } from "../../archives/archive.ts";
import { toBrand } from "../../metadata/brands.ts";
import type { PackageVersion } from "../../metadata/package.ts";
import type { InstalledEntry, Manifest, Plan } from "../installed.ts";
import { type Change, identifierOf } from "./change.ts";
import { compareFiles } from "./compare.ts";
import { InstallationFault } from "./faults.ts";
import { type Layout, requireIdentifier } from "./layout.ts";
import { storedManifest } from "./manifests.ts";
import { entriesOf, type RawEntry, rawEntry, readState } from "./state-file.ts";

/** The plan, and what is needed to carry it out. */
export type Planned = {
  plan: Plan;
  /** Files that the new folders take over from the old ones. */
  carried: string[];
  entry: RawEntry | null;
  manifest: Manifest | undefined;
};

type Installed = { entry: InstalledEntry; raw: RawEntry; manifest: Manifest | undefined };

/** Only looks. `incoming` are the files of the change's archive. */
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
  const { version, version_epoch } = target?.version ?? {};
  const manifest =
    version === undefined
      ? undefined
      : { identifier, version, ...(version_epoch ? { version_epoch } : {}), files: [...incoming] };
  return { plan, carried, entry: target?.entry ?? null, manifest };
}

async function findInstalled(layout: Layout, identifier: string): Promise<Installed | undefined> {
  const state = await readState(layout);
  const entries = entriesOf(state);
  const folder = folderOf(identifier).toLowerCase();
  const other = entries.find(
    ({ package: { identifier: each } }) => each !== identifier && folderOf(each).toLowerCase() === folder,
  );
  if (other !== undefined) {
    const message = `${other.package.identifier} is installed in the folder that ${identifier} would get. Uninstall it first.`;
    throw new InstallationFault("folder-taken", message, { identifier: other.package.identifier });
  }
  const entry = entries.find(({ package: { identifier: each } }) => each === identifier);
  const raw = rawEntry(state, identifier);
  if (entry === undefined || raw === undefined) return undefined;
  return { entry, raw, manifest: await storedManifest(layout, entry) };
}

type Target = { version: PackageVersion; patterns: string[]; entry: RawEntry };

/** What is installed afterwards; undefined: nothing. */
function targetOf(
  change: Change,
  installed: Installed | undefined,
  brand: string,
  now: () => number,
): Target | undefined {
  if (change.kind === "install") {
    const { package: pkg, version, repository, keepPinned = true } = change;
    const entry = {
      ...installed?.raw,
      package: toBrand(pkg, brand),
      current_version: version.version,
      repository_id: repository.id,
      repository_name: repository.name,
      install_timestamp: Math.floor(now() / 1000),
      pinned: keepPinned && installed?.entry.pinned === true,
    };
    return { version, patterns: patternsOf(pkg, version), entry };
  }
  if (installed === undefined) {
    throw new InstallationFault("not-installed", `${change.identifier} is not installed.`, {
      identifier: change.identifier,
    });
  }
  if (change.kind === "uninstall") return undefined;
  return { version: installedVersion(installed.entry), patterns: keepPatterns(installed.entry), entry: installed.raw };
}

function kindOf(change: Change, from: string | undefined, to: string | undefined): Plan["kind"] {
  if (change.kind === "uninstall") return "uninstall";
  if (from === undefined) return "install";
  return from === to ? "reinstall" : "update";
}

function unknownWarning(installed: Installed | undefined, change: Change): string[] {
  if (installed === undefined || installed.manifest !== undefined || change.kind === "repair") return [];
  return ["Another program installed this package, so that files changed by hand cannot be told from its own."];
}

function requireSame(identifier: string, expected: readonly ArchiveFile[], files: readonly ArchiveFile[]): void {
  const text = ({ path, size, sha256 }: ArchiveFile) => `${path}\n${size}\n${sha256}`;
  const known = new Set(expected.map(text));
  if (known.size === files.length && files.every((file) => known.has(text(file)))) return;
  const message = `The archive is not the one that ${identifier} was installed from. Install it again instead of repairing it.`;
  throw new InstallationFault("archive-differs", message, { identifier });
}

/** Of package and version together. */
const patternsOf = (pkg: { keep_on_update?: unknown }, version: { keep_on_update?: unknown } | undefined): string[] =>
  [pkg.keep_on_update, version?.keep_on_update]
    .flatMap((list): unknown[] => (Array.isArray(list) ? list : []))
    .filter((pattern) => typeof pattern === "string");

export const keepPatterns = (entry: InstalledEntry): string[] => patternsOf(entry.package, listedVersion(entry));

/** The list in the entry is another program's: it may be anything. */
function listedVersion({ package: { versions }, current_version }: InstalledEntry): PackageVersion | undefined {
  return Array.isArray(versions) ? versions.find((each) => each?.version === current_version) : undefined;
}

const installedVersion = (entry: InstalledEntry): PackageVersion =>
  listedVersion(entry) ?? { version: entry.current_version, status: "stable", tool_version: "0" };
