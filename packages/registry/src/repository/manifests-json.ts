import { ARCHIVE_LIMITS } from "@backplane/contract/registry";
import type { ArchiveFile } from "../archives/archive.ts";
import { byCodeUnit, isCount, isRecord, isSha256 } from "../values.ts";
import {
  compareVersions,
  readVersion,
  readVersionKey,
  type VersionNumber,
  versionKey,
} from "../versions/version-numbers.ts";
import type { RepositoryFile } from "./repository-json.ts";

const MANIFESTS_FORMAT = "backplane-manifests-1";

export const MANIFEST_LIMITS = {
  /** 50,000 files with the longest paths would need more, but no archive comes near that. */
  maxManifestBytes: 16 * 1024 * 1024,
  maxManifestsBytes: 64 * 1024 * 1024,
} as const;

/** The files of one version. */
export type Manifest = { identifier: string; version: string; version_epoch?: number; files: ArchiveFile[] };

/** Where the manifest of one version is, with its hash and size. */
export type ListedManifest = RepositoryFile & { identifier: string; version: string; version_epoch?: number };

/** By identifier, then by version key. */
export type Manifests = ReadonlyMap<string, ReadonlyMap<string, RepositoryFile>>;

export const manifestOf = (
  { identifier }: { identifier: string },
  { version, version_epoch }: { version: string; version_epoch?: number },
  files: Manifest["files"],
): Manifest => ({ identifier, version, ...(version_epoch === undefined ? {} : { version_epoch }), files });

/** The file list of one version, by path. */
export function writeManifest({ identifier, version, version_epoch, files }: Manifest): Buffer {
  const listed = files
    .toSorted((a, b) => byCodeUnit(a.path, b.path))
    .map(({ path, size, sha256 }) => ({ path, size, sha256 }));
  return Buffer.from(`${JSON.stringify({ identifier, version, version_epoch, files: listed })}\n`);
}

/** What is before and after the packages of manifests.json, which are separated by commas. */
export const MANIFESTS_ENDS = [`{"format":"${MANIFESTS_FORMAT}","packages":{`, "}}\n"] as const;

/** manifests.json: sorted by identifier, latest version first. */
export function writeManifests(list: readonly ListedManifest[]): Buffer {
  const byIdentifier = Map.groupBy(list, ({ identifier }) => identifier);
  const packages = [...byIdentifier]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([identifier, versions]) => writeManifestsOf(identifier, versions));
  return Buffer.from(MANIFESTS_ENDS.join(packages.join(",")));
}

/** The manifests of one package, as part of manifests.json. */
export const writeManifestsOf = (identifier: string, versions: readonly ListedManifest[]): string =>
  `${JSON.stringify(identifier)}:{${piecesOf(versions).join(",")}}`;

/** Not with JSON.stringify, which would put a key such as "7" before all others. */
function piecesOf(versions: readonly ListedManifest[]): string[] {
  return versions
    .map((listed) => ({ listed, number: numberOf(listed) }))
    .sort((a, b) => compareVersions(b.number, a.number) || byCodeUnit(b.listed.version, a.listed.version))
    .map(({ listed: { url, sha256, size, ...version } }) => {
      return `${JSON.stringify(versionKey(version))}:${JSON.stringify({ url, sha256, size })}`;
    });
}

function numberOf({ version, version_epoch }: ListedManifest): VersionNumber {
  const number = readVersion(version, version_epoch);
  if (number === undefined) throw new RangeError(`"${version}" is not a version.`);
  return number;
}

/** Undefined if it is not a manifests.json of this format. */
export function readManifests(text: string): Manifests | undefined {
  const value = parse(text, MANIFEST_LIMITS.maxManifestsBytes);
  if (!isRecord(value) || value.format !== MANIFESTS_FORMAT || !isRecord(value.packages)) return undefined;
  const manifests = new Map<string, Map<string, RepositoryFile>>();
  for (const [identifier, versions] of Object.entries(value.packages)) {
    if (!IDENTIFIER.test(identifier) || !isRecord(versions)) return undefined;
    const listed = new Map<string, RepositoryFile>();
    for (const [key, file] of Object.entries(versions)) {
      if (readVersionKey(key) === undefined || !isRecord(file)) return undefined;
      const { url, sha256, size } = file;
      if (!isUrl(url) || !isSha256(sha256) || !isCount(size)) return undefined;
      listed.set(key, { url, sha256, size });
    }
    manifests.set(identifier, listed);
  }
  return manifests;
}

/** Undefined if it is not a manifest. Paths must be allowed in an archive, and unique. */
export function readManifest(text: string): Manifest | undefined {
  const value = parse(text, MANIFEST_LIMITS.maxManifestBytes);
  if (!isRecord(value)) return undefined;
  const { identifier, version, version_epoch, files } = value;
  if (typeof identifier !== "string" || !IDENTIFIER.test(identifier) || typeof version !== "string") return undefined;
  if (version_epoch !== undefined && !isCount(version_epoch)) return undefined;
  if (readVersion(version, version_epoch) === undefined) return undefined;
  if (!Array.isArray(files) || files.length > ARCHIVE_LIMITS.maxEntries) return undefined;
  const read: ArchiveFile[] = [];
  const paths = new Set<string>();
  for (const file of files as unknown[]) {
    if (!isRecord(file)) return undefined;
    const { path, size, sha256 } = file;
    if (!isPath(path) || paths.has(path) || !isCount(size) || !isSha256(sha256)) return undefined;
    paths.add(path);
    read.push({ path, size, sha256 });
  }
  return { identifier, version, ...(version_epoch === undefined ? {} : { version_epoch }), files: read };
}

/** With `_`, as some published packages have. */
const IDENTIFIER = /^[a-zA-Z][-a-zA-Z0-9._]{0,98}[a-zA-Z0-9]$/;
const MAX_URL_CHARACTERS = 4_096;

const isUrl = (value: unknown): value is string =>
  typeof value === "string" && value.length <= MAX_URL_CHARACTERS && /^(https?|file):\/\/\S+$/.test(value);

/** Clients append these to a folder, so they must not lead out of it. */
function isPath(value: unknown): value is string {
  if (typeof value !== "string" || value.length > ARCHIVE_LIMITS.maxPathCharacters) return false;
  if (value.includes("\\") || value.includes("\0") || value.includes(":")) return false;
  return value.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

function parse(text: string, maxBytes: number): unknown {
  if (text.length > maxBytes) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
