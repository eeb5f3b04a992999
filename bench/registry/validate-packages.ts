import { createHash } from "node:crypto";
import { LICENSES, type Package, type PackageVersion } from "@backplane/contract/registry";
import { toBrand } from "../../packages/registry/src/metadata/brands.ts";

/** Enough words to make the file as long as a real one. */
const WORDS = { name: 3, description: 12, leastFull: 80, mostFull: 160 } as const;
const VOCABULARY =
  "board symbol footprint gerber drill panel layer track via net pair impedance router importer library theme viewer bom placement".split(
    " ",
  );
const VERSIONS_EACH = 3;

/** packages.json of this many packages with three versions each; the same text in every run. */
export function packagesText(count: number, brand: string): string {
  const next = numbersFrom(count);
  const packages = Array.from({ length: count }, (_, index) => toBrand(packageOf(index, next), brand));
  return JSON.stringify({ packages });
}

type Next = (below: number) => number;

function packageOf(index: number, next: Next): Package {
  const some = (count: number) => Array.from({ length: count }, () => pick(VOCABULARY, next)).join(" ");
  return {
    name: some(WORDS.name),
    description: some(WORDS.description),
    description_full: some(WORDS.leastFull + next(WORDS.mostFull - WORDS.leastFull)),
    identifier: `org.example.author-${index % 500}.package-${index}`,
    type: pick(["plugin", "library", "colortheme"] as const, next),
    author: { name: some(2), contact: { web: `https://author.example/${index}`, email: `a${index}@author.example` } },
    maintainer: { name: some(2), contact: { web: `https://maintainer.example/${index}` } },
    license: pick(LICENSES, next),
    resources: { homepage: `https://author.example/p/${index}`, "issue tracker": `https://author.example/i/${index}` },
    tags: [...new Set([pick(VOCABULARY, next), pick(VOCABULARY, next), pick(VOCABULARY, next)])],
    keep_on_update: ["/settings[.]json$", "/user/.*$"],
    versions: Array.from({ length: VERSIONS_EACH }, (_, version) => versionOf(index, version, next)),
  };
}

function versionOf(index: number, version: number, next: Next): PackageVersion {
  return {
    version: `${VERSIONS_EACH - version}.${next(20)}.${next(100)}`,
    version_epoch: 0,
    download_url: `https://author.example/d/${index}/${version}.zip`,
    download_sha256: createHash("sha256").update(`${index}/${version}`).digest("hex"),
    download_size: next(1_000_000),
    install_size: next(10_000_000),
    status: pick(["stable", "testing", "development", "deprecated"] as const, next),
    platforms: (["windows", "macos", "linux"] as const).slice(0, 1 + next(3)),
    runtime: pick(["swig", "ipc"] as const, next),
    tool_version: `${6 + next(4)}.0`,
    tool_version_max: `${10 + next(4)}.99`,
  };
}

function pick<T>(values: readonly T[], next: Next): T {
  const value = values[next(values.length)];
  if (value === undefined) throw new RangeError("There is nothing to pick from.");
  return value;
}

function numbersFrom(seed: number): Next {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
