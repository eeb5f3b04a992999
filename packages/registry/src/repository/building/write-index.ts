import { join } from "node:path";
import { REGISTRY_LIMITS } from "@backplane/contract/registry";
import { type Note, readPackages } from "../../metadata/read.ts";
import { readManifests, writeManifests } from "../manifests-json.ts";
import { writePackages } from "../packages-json.ts";
import { writeResources } from "../resources-zip.ts";
import { CacheDamaged, type CachedResources } from "./build-cache.ts";
import type { Listed } from "./list-package.ts";
import { type IndexPart, indexPlace } from "./places.ts";
import { readResources } from "./read-resources.ts";
import type { Staging } from "./staging.ts";
import { readIfThere, sha256Of } from "./write-atomically.ts";

/** A file that repository.json names. */
export type IndexFile = { place: string; sha256: string; size: number; bytes: Buffer };

export type Index = {
  parts: { packages: IndexFile; resources?: IndexFile; manifests: IndexFile };
  resources?: CachedResources;
  notes: Note[];
};

type IndexOptions = { out: string; brand: string; staging: Staging; known: CachedResources | undefined };

/** The three files of these packages, each checked as a client would. */
export function writeIndex(listed: readonly Listed[], options: IndexOptions): Index {
  const { brand } = options;
  const packages = fileOf(
    "packages",
    writePackages(
      listed.map((one) => one.package),
      brand,
    ),
  );
  const checked = readPackages(packages.bytes.toString(), brand);
  if ("faults" in checked) {
    const told = checked.faults.map(({ pointer, message }) => `${pointer} ${message}`).join(", ");
    throw new Error(`packages.json would not be valid: ${told}`);
  }
  const manifests = fileOf("manifests", writeManifests(listed.flatMap((one) => one.manifests)));
  if (readManifests(manifests.bytes.toString()) === undefined) throw new Error("manifests.json would not be valid.");
  const resources = resourcesOf(listed, options);
  return {
    parts: { packages, manifests, ...(resources ? { resources: resources.file } : {}) },
    ...(resources ? { resources: resources.known } : {}),
    notes: packages.size > REGISTRY_LIMITS.maxPackagesBytes ? [tooLarge(packages.size)] : [],
  };
}

function fileOf(part: IndexPart, bytes: Buffer): IndexFile {
  const sha256 = sha256Of(bytes);
  return { place: indexPlace(part, sha256), sha256, size: bytes.length, bytes };
}

/** Written anew only when an icon has changed. Undefined: there are none. */
function resourcesOf(listed: readonly Listed[], { out, staging, known }: IndexOptions) {
  const icons = listed.flatMap(({ package: { identifier }, icon }) => (icon ? [{ identifier, icon }] : []));
  if (icons.length === 0) return undefined;
  const key = sha256Of(Buffer.from(icons.map(({ identifier, icon }) => `${identifier} ${icon}\n`).join("")));
  const bytes = known && readIfThere(join(out, indexPlace("resources", known.sha256)));
  const before = bytes && sha256Of(bytes) === known.sha256 ? bytes : undefined;
  const isSame = before !== undefined && known?.key === key;
  const file = fileOf("resources", isSame ? before : writeResources(iconsOf(icons, staging, before)));
  return { file, known: { key, sha256: file.sha256, size: file.size } };
}

/** Those of archives that were not opened are in the resources.zip before. */
function iconsOf(icons: readonly { identifier: string; icon: string }[], staging: Staging, before: Buffer | undefined) {
  const known = before ? readResources(before) : new Map<string, Buffer>();
  return new Map(
    icons.map(({ identifier, icon }) => {
      const bytes = staging.kept.get(icon) ?? known.get(identifier);
      if (bytes === undefined || sha256Of(bytes) !== icon) throw new CacheDamaged();
      return [identifier, bytes];
    }),
  );
}

const tooLarge = (size: number): Note => ({
  level: "warning",
  rule: "packages-too-large",
  path: "packages.json",
  message: `packages.json has ${size} bytes; older clients read ${REGISTRY_LIMITS.maxPackagesBytes}. Delist old versions.`,
});
