import type { PanelManifest } from "@backplane/contract/panels";
import type { Package, PackageVersion, Status } from "@backplane/contract/registry";
import type { Screenshot } from "../../archives/archive.ts";
import { inVersion } from "../../metadata/schema-versions.ts";
import type { ListedManifest } from "../../repository/manifests-json.ts";
import { writePackage } from "../../repository/packages-json.ts";
import { sha256Of } from "../../values.ts";
import { compareVersions, type VersionNumber, versionKey } from "../../versions/version-numbers.ts";
import { archiveFileName, archiveUrl } from "./archive-address.ts";
import type { PackageRow, VersionRow } from "./read-changes.ts";

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
  /** The package's texts in packages.json, by brand. None if all of its versions are unpublished. */
  texts: ReadonlyMap<string, PackageTexts>;
  manifests: readonly ListedManifest[];
};

/** By version of the schema. Version 1 cannot express every package; mostly both are the same string. */
type PackageTexts = { readonly 1?: string; readonly 2: string };

type Addresses = { baseUrl: string; brands: readonly string[] };

/** Builds a package from its rows. Throws if they cannot be read. */
export function listPackage(row: PackageRow, versions: readonly VersionRow[], addresses: Addresses): ListedPackage {
  const { baseUrl, brands } = addresses;
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
  const manifestOf = new Map(versions.map((version) => [version.blob_key, version]));
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
    texts: textsOf(listed, brands),
    manifests: releases.flatMap(({ version, blobKey }) => {
      const manifest = manifestOf.get(blobKey);
      if (!manifest) return [];
      const { manifest_sha256: sha256, manifest_size: size } = manifest;
      const { version_epoch } = version;
      return {
        ...{ identifier: row.identifier, version: version.version, sha256, size },
        ...(version_epoch === undefined ? {} : { version_epoch }),
        url: `${baseUrl}/registry/manifests/${sha256}.json`,
      };
    }),
  };
}

/** KiCad's schema requires at least one version, and KiCad refuses the whole list because of one package without. */
const textsOf = (listed: Package, brands: readonly string[]): ListedPackage["texts"] =>
  new Map(listed.versions.length === 0 ? [] : brands.map((brand) => [brand, textsFor(listed, brand)]));

function textsFor(listed: Package, brand: string): PackageTexts {
  const second = inVersion(listed, 2) ?? listed;
  const first = inVersion(listed, 1);
  const text = writePackage(second, brand);
  if (!first) return { 2: text };
  const fitting = forBrand(first, brand);
  return { 1: fitting === second ? text : writePackage(fitting, brand), 2: text };
}

/** The same package with its archives and lists of files below another address. */
export function withArchivesAt(found: ListedPackage, root: string, brands: readonly string[]): ListedPackage {
  const { identifier } = found.package;
  const versions = found.releases.map(({ version }) => ({
    ...version,
    download_url: `${root}/archives/${identifier}/${archiveFileName(identifier, version)}`,
  }));
  const listed = { ...found.package, versions };
  const manifests = found.manifests.map((each) => ({ ...each, url: `${root}/manifests/${each.sha256}.json` }));
  return { ...found, package: listed, texts: textsOf(listed, brands), manifests };
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
  };
}
