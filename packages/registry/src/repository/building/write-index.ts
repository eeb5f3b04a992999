import { join } from "node:path";
import { type Package, type PackageVersion, REGISTRY_LIMITS, type SchemaVersion } from "@backplane/contract/registry";
import { type Note, readPackages } from "../../metadata/read.ts";
import { sha256Of } from "../../values.ts";
import { type ListedManifest, readManifests, writeManifests } from "../manifests-json.ts";
import { writeLists } from "../packages-json.ts";
import { readResources, writeResources } from "../resources-zip.ts";
import type { ChosenVersion, Merged } from "./merge.ts";
import { archivePlace, type IndexPart, indexPlace, manifestPlace } from "./places.ts";
import { readIfExists, type Staging } from "./staging.ts";

/** The icons in the last resources.zip, and its hash. */
export type CachedResources = { key: string; sha256: string; size: number };

/** Something in the cache does not exist: everything has to be read again. */
export class CacheDamaged extends Error {}

/** A file of the repository, with its hash and size. */
export type NamedFile = { place: string; sha256: string; size: number };

/** A package as the repository lists it, with everything it refers to. */
export type Listed = {
  package: Package;
  /** The sha256 of the latest version's icon. */
  icon?: string;
  manifests: ListedManifest[];
  /** Archives and manifests that must be in the repository's folder. */
  files: NamedFile[];
};

export function listPackage({ package: about, versions }: Merged, baseUrl: string): Listed {
  const { identifier } = about;
  const manifests: ListedManifest[] = [];
  const files: NamedFile[] = [];
  const list = ({ version, archive }: ChosenVersion): PackageVersion => {
    if (archive === undefined) return version;
    const { sha256, size, manifest } = archive;
    const { version_epoch } = version;
    const names = { identifier, version: version.version, ...(version_epoch === undefined ? {} : { version_epoch }) };
    const place = archive.place ?? archivePlace(names, sha256);
    if (archive.place === undefined) files.push({ place, sha256, size });
    files.push({ place: manifestPlace(manifest.sha256), ...manifest });
    manifests.push({ ...names, url: `${baseUrl}/${manifestPlace(manifest.sha256)}`, ...manifest });
    return {
      ...version,
      download_url: `${baseUrl}/${place.split("/").map(encodeURIComponent).join("/")}`,
      download_sha256: sha256,
      download_size: size,
      install_size: archive.installSize,
    };
  };
  const listed = { ...about, versions: versions.map(list) };
  const icon = versions.find(({ archive }) => archive !== undefined)?.archive?.icon;
  return { package: listed, ...(icon === undefined ? {} : { icon }), manifests, files };
}

/** A file that repository.json names. */
export type IndexFile = { place: string; sha256: string; size: number; bytes: Buffer };

export type Index = {
  parts: { packages: IndexFile; packages_v2?: IndexFile; resources?: IndexFile; manifests: IndexFile };
  resources?: CachedResources;
  notes: Note[];
};

type IndexOptions = { out: string; brand: string; staging: Staging; known: CachedResources | undefined };

/** The index files of these packages, each checked as a client would. */
export function writeIndex(listed: readonly Listed[], options: IndexOptions): Index {
  const { brand } = options;
  const lists = writeLists(
    listed.map((one) => one.package),
    brand,
  );
  const packages = listFile("packages", lists[1], brand, 1);
  const second = lists[1] === lists[2] ? undefined : listFile("packages_v2", lists[2], brand, 2);
  const size = Math.max(packages.size, second?.size ?? 0);
  const manifests = fileOf("manifests", writeManifests(listed.flatMap((one) => one.manifests)));
  if (readManifests(manifests.bytes.toString()) === undefined) throw new Error("manifests.json would not be valid.");
  const resources = resourcesOf(listed, options);
  return {
    parts: {
      packages,
      ...(second ? { packages_v2: second } : {}),
      manifests,
      ...(resources ? { resources: resources.file } : {}),
    },
    ...(resources ? { resources: resources.known } : {}),
    notes: size > REGISTRY_LIMITS.maxPackagesBytes ? [tooLarge(size)] : [],
  };
}

function listFile(part: IndexPart, bytes: Buffer, brand: string, version: SchemaVersion): IndexFile {
  const checked = readPackages(bytes.toString(), brand, { version });
  if (!("faults" in checked)) return fileOf(part, bytes);
  const result = checked.faults.map(({ pointer, message }) => `${pointer} ${message}`).join(", ");
  throw new Error(`packages.json would not be valid: ${result}`);
}

function fileOf(part: IndexPart, bytes: Buffer): IndexFile {
  const sha256 = sha256Of(bytes);
  return { place: indexPlace(part, sha256), sha256, size: bytes.length, bytes };
}

/** Written again only when an icon changed. Undefined if there are no icons. */
function resourcesOf(listed: readonly Listed[], { out, staging, known }: IndexOptions) {
  const icons = listed.flatMap(({ package: { identifier }, icon }) => (icon ? [{ identifier, icon }] : []));
  if (icons.length === 0) return undefined;
  const key = sha256Of(Buffer.from(icons.map(({ identifier, icon }) => `${identifier} ${icon}\n`).join("")));
  const bytes = known && readIfExists(join(out, indexPlace("resources", known.sha256)));
  const before = bytes && sha256Of(bytes) === known.sha256 ? bytes : undefined;
  const isSame = before !== undefined && known?.key === key;
  const file = fileOf("resources", isSame ? before : writeResources(iconsOf(icons, staging, before)));
  return { file, known: { key, sha256: file.sha256, size: file.size } };
}

/** Icons of archives that were not opened come from the previous resources.zip. */
function iconsOf(icons: readonly { identifier: string; icon: string }[], staging: Staging, before: Buffer | undefined) {
  const known = before ? readResources(before) : new Map<string, Buffer>();
  return new Map(
    icons.map(({ identifier, icon }) => {
      const read = staging.kept.get(icon);
      if (read) return [identifier, read];
      const bytes = known.get(identifier);
      if (bytes === undefined || sha256Of(bytes) !== icon) throw new CacheDamaged();
      return [identifier, bytes];
    }),
  );
}

const tooLarge = (size: number): Note => ({
  level: "warning",
  rule: "packages-too-large",
  path: "packages.json",
  message: `packages.json has ${size} bytes; KiCad reads at most ${REGISTRY_LIMITS.maxPackagesBytes}. Remove old versions.`,
});
