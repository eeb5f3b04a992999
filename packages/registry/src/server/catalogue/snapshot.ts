import { setImmediate as yieldToOthers } from "node:timers/promises";
import { type Contact, REGISTRY_LIMITS, type SchemaVersion } from "@backplane/contract/registry";
import { MANIFESTS_ENDS } from "../../repository/manifests-json.ts";
import { PACKAGES_ENDS } from "../../repository/packages-json.ts";
import { type RepositoryFile, writeRepository } from "../../repository/repository-json.ts";
import { type IndexStatement, SIGNING_LIMITS, signIndex } from "../../signing/signed-index.ts";
import { keysOfStatement } from "../keys/signing-keys.ts";
import { createIconsFile, type Icons } from "./icons-file.ts";
import { type IndexFile, type IndexName, indexFile } from "./index-file.ts";
import type { FindPiece } from "./kept-pieces.ts";
import { isSameInBoth, isWritten, type ListedPackage, manifestsFor, textFor } from "./listed-package.ts";
import type { Piece } from "./pieces.ts";
import type { Changes } from "./read-changes.ts";
import { createCutter, createListFile, createSegments, entriesPiece, nameOf, type Segment } from "./segments.ts";

/** One file per version of the schema; the same one if both have the same content. */
export type ByVersion = Readonly<Record<SchemaVersion, IndexFile>>;

/** The files that repository.json names; packages.json by brand. */
export type IndexFiles = Icons & {
  packages: ReadonlyMap<string, ByVersion>;
  manifests: IndexFile;
};

/** Everything that is served at one revision. */
export type Snapshot = {
  revision: number;
  updateTimestamp: number;
  issuedAtS: number;
  files: IndexFiles;
  repositories: ReadonlyMap<string, ByVersion>;
};

type WriterOptions = {
  brands: readonly string[];
  /** Pieces that may have been written before. */
  find?: FindPiece;
  /** Gets each list as soon as it is there, while the next one is written. */
  onWritten?: (file: IndexFile) => void;
};

/** Writes the files of one revision after the other; what did not change is kept. Other requests get their turn between. */
export function createFileWriter({ brands, find = (_name, write) => write(), onWritten }: WriterOptions) {
  const cut = createCutter();
  const lists = brands.map((brand) => ({ brand, write: createPackagesWriter(brand, find) }));
  const manifestSegments = createSegments((packages) =>
    find(nameOf("manifests", packages), () => entriesPiece(packages.filter(isWritten).map(manifestsFor))),
  );
  const manifestsFile = createListFile("manifests.json", MANIFESTS_ENDS);
  const iconsFile = createIconsFile();

  /** `packages` must be sorted. `icons`: if they did not change. */
  return async (packages: readonly ListedPackage[], icons?: Icons): Promise<IndexFiles> => {
    const segments = cut(packages);
    const byBrand = new Map<string, ByVersion>();
    for (const { brand, write } of lists) {
      const written = await write(segments);
      byBrand.set(brand, written);
      for (const file of new Set(bothVersions(written))) onWritten?.(file);
      await yieldToOthers();
    }
    const manifests = await manifestsFile(await manifestSegments(segments));
    await yieldToOthers();
    const { resources, hasResources } = icons ?? (await iconsFile(segments));
    return { packages: byBrand, resources, hasResources, manifests };
  };
}

function createPackagesWriter(brand: string, find: FindPiece) {
  const segments = createSegments((packages): Record<SchemaVersion, Piece> => {
    const written = packages.filter(isWritten);
    const pieceIn = (version: SchemaVersion) =>
      find(nameOf(`packages ${brand} ${version}`, packages), () =>
        entriesPiece(written.flatMap((each) => textFor(each, brand, version) ?? [])),
      );
    const second = pieceIn(2);
    return { 1: written.every((each) => isSameInBoth(each, brand)) ? second : pieceIn(1), 2: second };
  });
  const [first, second] = [createPackagesFile(), createPackagesFile()];

  return async (cut: readonly Segment[]): Promise<ByVersion> => {
    const written = await segments(cut);
    const inSecond = await second(written.map((each) => each[2]));
    const isSame = written.every((each) => each[1] === each[2]);
    return { 1: isSame ? inSecond : await first(written.map((each) => each[1])), 2: inSecond };
  };
}

const createPackagesFile = () => createListFile("packages.json", PACKAGES_ENDS);

type SnapshotOptions = {
  name: string;
  maintainer: Contact | undefined;
  baseUrl: string;
  /** Where the files of this snapshot are, if not at their public addresses. */
  addressOf?: (file: IndexFile) => string;
};

/**
 * The signed repository.json of each brand, for both versions of the schema with one statement, so that a client may
 * change from one to the other. The same rows give the same bytes on every instance.
 */
export function sealSnapshot(
  files: IndexFiles,
  changes: Omit<Changes, "unchanged" | "revisions">,
  { name, maintainer, baseUrl, addressOf = (file) => `${baseUrl}${indexPath(file)}` }: SnapshotOptions,
): Snapshot {
  const { revision, updateTimestamp, resourcesTimestamp, manifestsTimestamp, issuedAtS, keys } = changes;
  const { signing, announced } = keysOfStatement(keys, issuedAtS);
  const shared = {
    ...(files.hasResources ? { resources: addressed(files.resources, addressOf, resourcesTimestamp) } : {}),
    manifests: addressed(files.manifests, addressOf, manifestsTimestamp),
  };
  const repositories = [...files.packages].map(([brand, lists]) => {
    const statement: IndexStatement = {
      ...{ format: "backplane-index-1", name, brand, counter: revision },
      ...{ issued: issuedAtS, expires: issuedAtS + SIGNING_LIMITS.lifeS },
      ...signedParts({ packages: lists[1], ...shared }),
      ...(lists[1] === lists[2] ? {} : { packages_v2: signedFile(lists[2]) }),
      keys: announced,
    };
    const signed = signIndex(statement, signing);
    const repositoryFile = (schemaVersion: SchemaVersion): IndexFile => {
      const packages = addressed(lists[schemaVersion], addressOf, updateTimestamp);
      const schemaUrl = `${baseUrl}/schemas/package.v${schemaVersion}.json?brand=${brand}`;
      const parts = { packages, ...shared, updateTimestamp, schemaUrl, schemaVersion, signed };
      return indexFile("repository.json", writeRepository({ name, maintainer, brand, ...parts }));
    };
    return [brand, { 1: repositoryFile(1), 2: repositoryFile(2) }] as const;
  });
  return { revision, updateTimestamp, issuedAtS, files, repositories: new Map(repositories) };
}

type Hashed = Pick<RepositoryFile, "sha256" | "size">;
type Parts = { packages: Hashed; resources?: Hashed; manifests: Hashed };

const signedParts = ({ packages, resources, manifests }: Parts) => ({
  packages: signedFile(packages),
  ...(resources ? { resources: signedFile(resources) } : {}),
  manifests: signedFile(manifests),
});

const signedFile = ({ sha256, size }: Hashed) => ({ sha256, size });

const addressed = (
  file: IndexFile,
  addressOf: (file: IndexFile) => string,
  updateTimestamp: number,
): RepositoryFile => ({
  url: addressOf(file),
  sha256: file.sha256,
  size: file.size,
  updateTimestamp,
});

/** The permanent address of this content. */
export const indexPath = ({ sha256, name }: Pick<IndexFile, "sha256" | "name">): string =>
  `/registry/indexes/${sha256}/${name}`;

/** Every file that the repository.json files of this snapshot name. */
export const namedFiles = ({ files }: Snapshot): IndexFile[] => [
  ...new Set([...files.packages.values()].flatMap(bothVersions)),
  files.resources,
  files.manifests,
];

export const bothVersions = (files: ByVersion): IndexFile[] => [files[1], files[2]];

/** The size of the largest packages.json. */
export const packagesBytes = ({ files }: Snapshot): number =>
  Math.max(...[...files.packages.values()].flatMap(bothVersions).map(({ size }) => size));

/** Whether the list is too large for KiCad. */
export const isTooLarge = ({ files }: Snapshot): boolean => {
  const lists = files.packages.get("kicad");
  return lists !== undefined && bothVersions(lists).some(({ size }) => size > REGISTRY_LIMITS.maxPackagesBytes);
};

/** The newest files of a brand, by name. */
export const filesOfBrand = (
  { files, repositories }: Snapshot,
  brand: string,
): Record<IndexName | "repository.json", IndexFile | ByVersion> | undefined => {
  const [packages, repository] = [files.packages.get(brand), repositories.get(brand)];
  if (!packages || !repository) return undefined;
  return {
    "repository.json": repository,
    "packages.json": packages,
    "resources.zip": files.resources,
    "manifests.json": files.manifests,
  };
};
