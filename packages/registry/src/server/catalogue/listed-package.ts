import { crc32 } from "node:zlib";
import type { PanelManifest } from "@backplane/contract/panels";
import type { Package, PackageVersion, Status } from "@backplane/contract/registry";
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
};

/** By version of the schema. Version 1 cannot express every package; mostly both are the same string. */
type PackageTexts = { readonly 1?: string; readonly 2: string };

/** Builds a package from its rows. Throws if they cannot be read. */
export function listPackage(row: PackageRow, versions: readonly VersionRow[], baseUrl: string): ListedPackage {
  const latestFirst = (a: { number: VersionNumber }, b: { number: VersionNumber }) =>
    compareVersions(b.number, a.number);
  const releases = versions
    .filter(({ unpublished_at_ms }) => unpublished_at_ms === null)
    .map((version) => releaseOf(row, version, baseUrl))
    .sort(latestFirst);
  const listed = {
    ...(JSON.parse(row.metadata) as Package),
    identifier: row.identifier,
    versions: releases.map(({ version }) => version),
  };
  return {
    key: row.identifier_key,
    package: listed,
    releases,
    unpublished: versions.flatMap(unpublishedOf).sort(latestFirst),
    ownerId: row.owner_id,
    isPrivate: row.is_private === 1,
    icon: row.icon ? { bytes: row.icon, sha256: sha256Of(row.icon) } : undefined,
    updatedAtMs: row.updated_at_ms,
    downloads: versions.reduce((sum, { downloads }) => sum + downloads, 0),
    root: `${baseUrl}/registry`,
    endsSegment: endsSegment(row.identifier_key),
  };
}

/** KiCad's schema requires at least one version, and KiCad refuses the whole list because of one package without. */
export const isWritten = ({ releases }: ListedPackage): boolean => releases.length > 0;

/** A package's texts in packages.json of a brand. */
export function textsFor({ package: listed }: ListedPackage, brand: string): PackageTexts {
  const second = inVersion(listed, 2) ?? listed;
  const first = inVersion(listed, 1);
  const text = writePackage(second, brand);
  if (!first) return { 2: text };
  const fitting = forBrand(first, brand);
  return { 1: fitting === second ? text : writePackage(fitting, brand), 2: text };
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
      number: [row.epoch, row.major, row.minor, row.patch],
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
    number: [row.epoch, row.major, row.minor, row.patch],
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
