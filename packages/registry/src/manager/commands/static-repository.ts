import type { Contact, Package } from "@backplane/contract/registry";
import { readOldRepository, signRepository } from "../../repository/building/next-repository.ts";
import { INDEX_NAMES, indexPlace, manifestPlace, REPOSITORY_NAMES } from "../../repository/building/places.ts";
import { type Manifest, writeManifest, writeManifests } from "../../repository/manifests-json.ts";
import { writeLists } from "../../repository/packages-json.ts";
import { type RepositoryFile, writeRepository } from "../../repository/repository-json.ts";
import { writeResources } from "../../repository/resources-zip.ts";
import type { SigningKey } from "../../signing/keys.ts";
import { sha256Of } from "../../values.ts";

type StaticParts = {
  name: string;
  brand: string;
  baseUrl: string;
  maintainer?: Contact | undefined;
  /** Their addresses begin with `baseUrl`. */
  packages: readonly Package[];
  manifests: readonly Manifest[];
  icons: ReadonlyMap<string, Uint8Array>;
  updateTimestamp: number;
  nowS: number;
  signingKey?: SigningKey | undefined;
  /** The folder of the repository that this one replaces. */
  before?: string | undefined;
};

type StaticFile = { path: string; bytes: Buffer };

/** All files except the archives, in the order to write them: referenced files come first. */
export function staticFiles(parts: StaticParts): StaticFile[] {
  const { name, brand, maintainer, packages, icons, nowS, signingKey } = parts;
  const base = withSlash(parts.baseUrl);
  const files: StaticFile[] = [];
  const put = (path: string, bytes: Buffer): RepositoryFile => {
    files.push({ path, bytes });
    return { url: base + path, sha256: sha256Of(bytes), size: bytes.length };
  };
  const listed = parts.manifests.map((manifest) => {
    const bytes = writeManifest(manifest);
    const { identifier, version, version_epoch } = manifest;
    const file = put(manifestPlace(sha256Of(bytes)), bytes);
    return { ...file, identifier, version, ...(version_epoch === undefined ? {} : { version_epoch }) };
  });
  const putIndex = (part: keyof typeof INDEX_NAMES, bytes: Buffer): RepositoryFile => {
    const file = put(indexPlace(part, sha256Of(bytes)), bytes);
    put(INDEX_NAMES[part], bytes);
    return file;
  };
  const lists = writeLists(packages, brand);
  const second = lists[1] === lists[2] ? undefined : putIndex("packages_v2", lists[2]);
  const index = {
    manifests: putIndex("manifests", writeManifests(listed)),
    ...(icons.size > 0 ? { resources: putIndex("resources", writeResources(icons)) } : {}),
    packages: putIndex("packages", lists[1]),
  };
  const old = parts.before === undefined ? undefined : readOldRepository(parts.before);
  const isSame =
    old !== undefined && old.sha256.packages === index.packages.sha256 && old.sha256.packages_v2 === second?.sha256;
  const updateTimestamp = isSame
    ? old.updateTimestamp
    : Math.max(parts.updateTimestamp, (old?.updateTimestamp ?? 0) + 1);
  const stated = {
    name,
    brand,
    packages: asSigned(index.packages),
    ...(second ? { packages_v2: asSigned(second) } : {}),
    manifests: asSigned(index.manifests),
    ...(index.resources ? { resources: asSigned(index.resources) } : {}),
  };
  const signed = signingKey && signRepository(stated, { signingKey }, old?.signed, nowS);
  const written = { name, brand, maintainer, ...index, updateTimestamp, signed };
  const newer = { ...written, packages: second ?? index.packages, schemaVersion: 2 as const };
  put(REPOSITORY_NAMES[2], writeRepository(newer));
  put(REPOSITORY_NAMES[1], writeRepository(written));
  return files;
}

const asSigned = ({ sha256, size }: RepositoryFile) => ({ sha256, size });

export const withSlash = (url: string): string => (url.endsWith("/") ? url : `${url}/`);
