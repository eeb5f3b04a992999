import { versionKey } from "../../versions/version-numbers.ts";

/** Enough of a sha256 to be unique in a repository. */
const NAMED_DIGITS = 16;

/** The cache and unfinished files of a build; not part of the repository. */
export const BUILD_FOLDER = ".backplane-build";

type VersionNames = { identifier: string; version: string; version_epoch?: number };

/** The hash is part of the name, so that files of an older repository.json are never overwritten. */
export const archivePlace = (named: VersionNames, sha256: string): string =>
  `archives/${named.identifier}/${versionKey(named)}-${sha256.slice(0, NAMED_DIGITS)}.zip`;

export const manifestPlace = (sha256: string): string => `manifests/${sha256}.json`;

/** Web servers that cannot choose by `Accept` need one address per version of the schema. */
export const REPOSITORY_NAMES = { 1: "repository.json", 2: "repository-v2.json" } as const;

export const INDEX_NAMES = {
  packages: "packages.json",
  /** Only if it differs from packages.json. */
  packages_v2: "packages-v2.json",
  resources: "resources.zip",
  manifests: "manifests.json",
} as const;
export type IndexPart = keyof typeof INDEX_NAMES;

/** packages-0123456789abcdef.json */
export function indexPlace(part: IndexPart, sha256: string): string {
  return INDEX_NAMES[part].replace(".", `-${sha256.slice(0, NAMED_DIGITS)}.`);
}

const OURS =
  /^(?:archives\/[-a-zA-Z0-9.]+\/[-0-9.]+-[a-f0-9]{16}\.zip|manifests\/[a-f0-9]{64}\.json|(?:packages(?:-v2)?|manifests)(?:-[a-f0-9]{16})?\.json|resources(?:-[a-f0-9]{16})?\.zip|repository(?:-v2)?\.json)$/;

/** Whether a build writes files with this path in the repository's folder. */
export const isOurs = (place: string): boolean => OURS.test(place) || place.startsWith(`${BUILD_FOLDER}/`);
