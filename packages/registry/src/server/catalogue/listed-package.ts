import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { PanelManifest } from "@backplane/contract/panels";
import type { Package, PackageVersion, SchemaVersion, Status } from "@backplane/contract/registry";
import type { Screenshot } from "../../archives/archive.ts";
import { inVersion } from "../../metadata/schema-versions.ts";
import { writeManifestsOf } from "../../repository/manifests-json.ts";
import { writePackage } from "../../repository/packages-json.ts";
import { sha256Of } from "../../values.ts";
import { compareVersions, readVersion, type VersionNumber, versionKey } from "../../versions/version-numbers.ts";
import { archiveFileName, archiveUrl } from "./archive-address.ts";
import type { PackageRow, VersionRow } from "./read-changes.ts";

/** Packages in a segment, on average: few to write again, and many enough to be compressed well together. */
const PACKAGES_PER_SEGMENT = 64;

/** By the identifier alone, so that a new package changes only its own segment, and every instance makes the same. */
const endsSegment = (key: string): boolean => crc32(key) % PACKAGES_PER_SEGMENT === 0;

/** A listed version, with what only the server knows about it. */
export type Release = {
  version: PackageVersion;
  number: VersionNumber;
  /** As in addresses. */
  key: string;
  blobKey: string;
  sha256: string;
  size: number;
  installSize: number;
  fileCount: number;
  publishedBy: string;
  publishedAtMs: number;
  screenshots: readonly Screenshot[];
  /** Undefined: it is not a panel for workspaces. */
  panel: PanelManifest | undefined;
  /** Its list of files. */
  manifest: { sha256: string; size: number };
};

/** A version whose archive is gone. */
type Unpublished = { version: string; number: VersionNumber; reason: string; atMs: number; by: string };

export type ListedPackage = {
  /** The identifier in lower case. */
  key: string;
  /** Neutral spelling. */
  package: Package;
  /** Latest first, as in `package.versions`. */
  releases: readonly Release[];
  /** Latest first. */
  unpublished: readonly Unpublished[];
  ownerId: string;
  isPrivate: boolean;
  icon: { bytes: Uint8Array; sha256: string } | undefined;
  updatedAtMs: number;
  /** The sum over all versions, when they were read. */
  downloads: number;
  /** Its archives and lists of files are below this address. */
  root: string;
  /** Whether a segment of packages.json ends with it, see segments.ts. */
  endsSegment: boolean;
  /** A hash of what it was read from, as far as index files contain it. The addresses in them depend on `root` too. */
  digest: string;
};

/** Builds a package from its rows. Throws if they cannot be read. */
export function listPackage(row: PackageRow, versions: readonly VersionRow[], baseUrl: string): ListedPackage {
  const latestFirst = versions.toSorted((a, b) => compareVersions(numberOf(b), numberOf(a)));
  const listedRows = latestFirst.filter(({ unpublished_at_ms }) => unpublished_at_ms === null);
  const releases = listedRows.map((version) => releaseOf(row, version, baseUrl));
  const listed = {
    ...(JSON.parse(row.metadata) as Package),
    identifier: row.identifier,
    versions: releases.map(({ version }) => version),
  };
  return {
    key: row.identifier_key,
    package: listed,
    releases,
    unpublished: latestFirst.flatMap(unpublishedOf),
    ownerId: row.owner_id,
    isPrivate: row.is_private === 1,
    icon: row.icon ? { bytes: row.icon, sha256: sha256Of(row.icon) } : undefined,
    updatedAtMs: row.updated_at_ms,
    downloads: versions.reduce((sum, { downloads }) => sum + downloads, 0),
    root: `${baseUrl}/registry`,
    endsSegment: endsSegment(row.identifier_key),
    digest: digestOf(row, listedRows),
  };
}

const numberOf = ({ epoch, major, minor, patch }: VersionRow): VersionNumber => [epoch, major, minor, patch];

/** JSON has no line breaks of its own here, so no other rows give the same text. */
function digestOf({ identifier, metadata }: PackageRow, versions: readonly VersionRow[]): string {
  const texts = [identifier, metadata];
  for (const row of versions) {
    texts.push(row.metadata, `${row.status} ${row.manifest_sha256} ${row.manifest_size} ${numberOf(row).join(".")}`);
  }
  return hash("sha256", texts.join("\n"), "base64");
}

/** KiCad's schema requires at least one version, and KiCad refuses the whole list because of one package without. */
export const isWritten = ({ releases }: ListedPackage): boolean => releases.length > 0;

/** A package's text in packages.json of a brand; undefined if this version of the schema cannot express it. */
export function textFor({ package: listed }: ListedPackage, brand: string, version: SchemaVersion): string | undefined {
  const fitting = fittingFor(listed, brand, version);
  return fitting && writePackage(fitting, brand);
}

/** Whether its text is the same in both versions of the schema. */
export const isSameInBoth = ({ package: listed }: ListedPackage, brand: string): boolean =>
  fittingFor(listed, brand, 1) === fittingFor(listed, brand, 2);

function fittingFor(listed: Package, brand: string, version: SchemaVersion): Package | undefined {
  const fitting = inVersion(listed, version);
  return version === 1 && fitting ? forBrand(fitting, brand) : fitting;
}

/** A package's text in manifests.json. */
export const manifestsFor = ({ package: { identifier }, releases, root }: ListedPackage): string =>
  writeManifestsOf(
    identifier,
    releases.map(({ version: { version, version_epoch }, manifest: { sha256, size } }) => ({
      ...{ identifier, version, sha256, size, url: `${root}/manifests/${sha256}.json` },
      ...(version_epoch === undefined ? {} : { version_epoch }),
    })),
  );

/** The same package with its archives and lists of files below another address. */
export function withArchivesAt(found: ListedPackage, root: string): ListedPackage {
  const { identifier } = found.package;
  const versions = found.releases.map(({ version }) => ({
    ...version,
    download_url: `${root}/archives/${identifier}/${archiveFileName(identifier, version)}`,
  }));
  return { ...found, package: { ...found.package, versions }, root };
}

/** In version 1, newer versions of KiCad know two categories, and refuse the whole list because of any other. */
const KICAD_CATEGORIES: readonly string[] = ["general", "fab"];

function forBrand(listed: Package, brand: string): Package {
  const { category, ...rest } = listed;
  return brand === "kicad" && category !== undefined && !KICAD_CATEGORIES.includes(category) ? rest : listed;
}

function unpublishedOf(row: VersionRow): Unpublished[] {
  if (row.unpublished_at_ms === null) return [];
  const { version } = JSON.parse(row.metadata) as PackageVersion;
  return [
    {
      version,
      number: numberOf(row),
      reason: row.unpublished_reason ?? "",
      atMs: row.unpublished_at_ms,
      by: row.unpublished_by ?? "",
    },
  ];
}

function releaseOf({ identifier }: PackageRow, row: VersionRow, baseUrl: string): Release {
  const listed = JSON.parse(row.metadata) as PackageVersion;
  // The whole list could not be written with it.
  if (readVersion(listed.version, listed.version_epoch) === undefined) {
    throw new RangeError(`${identifier} is listed with the version "${listed.version}", which is not one.`);
  }
  return {
    version: {
      ...listed,
      status: row.status as Status,
      download_url: archiveUrl(baseUrl, identifier, listed),
    },
    number: numberOf(row),
    key: versionKey(listed),
    blobKey: row.blob_key,
    sha256: row.sha256,
    size: row.size,
    installSize: row.install_size,
    fileCount: row.file_count,
    publishedBy: row.published_by,
    publishedAtMs: row.published_at_ms,
    screenshots: row.screenshots === null ? [] : (JSON.parse(row.screenshots) as Screenshot[]),
    panel: row.panel === null ? undefined : (JSON.parse(row.panel) as PanelManifest),
    manifest: { sha256: row.manifest_sha256, size: row.manifest_size },
  };
}
