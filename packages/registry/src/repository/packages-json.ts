import { Package, PackageVersion, type SchemaVersion } from "@backplane/contract/registry";
import { toBrand } from "../metadata/brands.ts";
import { inVersion } from "../metadata/schema-versions.ts";
import { byCodeUnit } from "../values.ts";
import { compareVersions, readVersion } from "../versions/version-numbers.ts";

/** Keys are written in the order in which the contract declares them; unknown keys follow, by name. */
const PACKAGE_PLACES = placesOf(Package);
const VERSION_PLACES = placesOf(PackageVersion);

function placesOf({ properties }: { properties: object }): ReadonlyMap<string, number> {
  return new Map(Object.keys(properties).map((key, place) => [key, place]));
}

/** packages.json by version of the schema; the same buffer if version 1 can express everything. */
export function writeLists(packages: readonly Package[], brand: string): Record<SchemaVersion, Buffer> {
  const listed = (version: SchemaVersion) => packages.flatMap((pkg) => inVersion(pkg, version) ?? []);
  const [first, second] = [listed(1), listed(2)];
  const isSame = first.length === second.length && first.every((pkg, place) => pkg === second[place]);
  const written = writePackages(second, brand);
  return { 1: isSame ? written : writePackages(first, brand), 2: written };
}

/** packages.json: sorted by identifier, latest version first. The same packages give the same bytes. */
export function writePackages(packages: readonly Package[], brand: string): Buffer {
  const sorted = packages.toSorted((a, b) => byCodeUnit(a.identifier, b.identifier));
  return joinPackages(sorted.map((listed) => writePackage(listed, brand)));
}

/** One package, as part of packages.json. */
export function writePackage(listed: Package, brand: string): string {
  const versions = listed.versions
    .map((version) => ({ version, number: numberOf(version) }))
    .sort((a, b) => compareVersions(b.number, a.number) || byCodeUnit(b.version.version, a.version.version))
    .map(({ version }) => inOrder(version, VERSION_PLACES) as PackageVersion);
  const ordered = inOrder({ ...listed, versions }, PACKAGE_PLACES) as Package;
  return JSON.stringify(toBrand(ordered, brand));
}

/** What is before and after the packages of packages.json, which are separated by commas. */
export const PACKAGES_ENDS = ['{"packages":[', "]}\n"] as const;

/** packages.json from parts that are already sorted. */
export const joinPackages = (pieces: readonly string[]): Buffer => Buffer.from(PACKAGES_ENDS.join(pieces.join(",")));

function numberOf({ version, version_epoch }: PackageVersion) {
  const number = readVersion(version, version_epoch);
  if (number === undefined) throw new RangeError(`"${version}" is not a version.`);
  return number;
}

function inOrder(value: object, places: ReadonlyMap<string, number>): object {
  const placeOf = (key: string) => places.get(key) ?? places.size;
  const byPlace = (a: string, b: string) => placeOf(a) - placeOf(b) || byCodeUnit(a, b);
  const keys = Object.keys(value);
  // As most are; to sort all of 10,000 packages takes a second.
  if (keys.every((key, at) => at === 0 || byPlace(keys[at - 1] ?? "", key) <= 0)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => byPlace(a, b)));
}
