import type { CheckNote, Package, Repository } from "@backplane/contract/registry";
import { DEFAULT_BRAND, toNeutral, toolVersionFields } from "./brands.ts";
import { createValueChecker, type MetadataFault, parseJson } from "./check.ts";
import { positionsIn } from "./positions.ts";
import type { CheckOptions, MetadataKind } from "./schemas.ts";

export type Note = CheckNote;

export type ReadOptions = CheckOptions & {
  /** The brands whose spellings are accepted. */
  brands?: readonly string[];
};

const KNOWN_BRANDS: readonly string[] = [DEFAULT_BRAND, "kicad"];

type ValueChecker = ReturnType<typeof createValueChecker>;
const checkers = new Map<string, ValueChecker>();

/** Compiled once per brand and rules. */
function checkerOf(brand: string, { version = "either", looseUrls = false }: CheckOptions): ValueChecker {
  const key = `${brand} ${version} ${looseUrls}`;
  const known = checkers.get(key) ?? createValueChecker(brand, { version, looseUrls });
  checkers.set(key, known);
  return known;
}

function check(
  text: string,
  kind: MetadataKind,
  options: CheckOptions,
  brandOf: (value: unknown) => string,
): { value: unknown; brand: string } | { faults: Note[] } {
  const parsed = parseJson(text);
  if ("faults" in parsed) return { faults: parsed.faults.map(asNote) };
  const brand = brandOf(parsed.value);
  const checked = checkerOf(brand, options)(text, parsed.value, kind);
  return "faults" in checked ? { faults: checked.faults.map(asNote) } : { value: checked.value, brand };
}

/** One package, in the spelling of any of the brands; `notes` says what was ignored. Default version: either. */
export function readPackage(
  text: string,
  { brands = KNOWN_BRANDS, ...options }: ReadOptions = {},
): { package: Package; brand: string; notes: Note[] } | { faults: Note[] } {
  const checked = check(text, "Package", options, (value) => brandUsed(value, brands));
  if ("faults" in checked) return checked;
  const { value, brand } = checked;
  const pkg = toNeutral(value, brand) as Package;
  return { package: pkg, brand, notes: notesOn(text, value as RawPackage, brand) };
}

/** A packages.json of the brand. */
export function readPackages(
  text: string,
  brand: string,
  options: CheckOptions = {},
): { packages: Package[] } | { faults: Note[] } {
  const checked = check(text, "PackageArray", options, () => brand);
  if ("faults" in checked) return checked;
  return { packages: (toNeutral(checked.value, brand) as { packages: Package[] }).packages };
}

/** A repository.json; `value` also has unknown keys. */
export function readRepository(
  text: string,
  options: CheckOptions = {},
): { repository: Repository; value: Record<string, unknown> } | { faults: Note[] } {
  const checked = check(text, "Repository", options, () => DEFAULT_BRAND);
  if ("faults" in checked) return checked;
  return { repository: checked.value as Repository, value: checked.value as Record<string, unknown> };
}

const asNote = ({ rule, ...fault }: MetadataFault): Note => ({ level: "error", rule, ...fault });

/** The brand whose field most versions have; a brand's own field counts more than the neutral one. */
function brandUsed(value: unknown, brands: readonly string[]): string {
  const listed = (value as { versions?: unknown } | null)?.versions;
  const versions = Array.isArray(listed) ? listed.filter((version) => typeof version === "object" && version) : [];
  const uses = (brand: string) =>
    versions.filter((version) => Object.hasOwn(version, toolVersionFields(brand).minimum));
  const isNeutral = (brand: string) => Number(brand === DEFAULT_BRAND);
  const [best] = brands
    .map((brand) => ({ brand, count: uses(brand).length }))
    .sort((a, b) => b.count - a.count || isNeutral(a.brand) - isNeutral(b.brand));
  return best && best.count > 0 ? best.brand : (brands[0] ?? DEFAULT_BRAND);
}

type RawPackage = { versions: Record<string, unknown>[] };

/** If both spellings are present and differ, one of them is ignored. */
function notesOn(text: string, { versions }: RawPackage, brand: string): Note[] {
  if (brand === DEFAULT_BRAND) return [];
  const [counts, neutral] = [toolVersionFields(brand), toolVersionFields(DEFAULT_BRAND)];
  const passedOver = versions.flatMap((version, index) =>
    (["minimum", "maximum"] as const)
      .filter((end) => Object.hasOwn(version, neutral[end]) && Object.hasOwn(version, counts[end]))
      .filter((end) => version[neutral[end]] !== version[counts[end]])
      .map((end) => ({ pointer: `/versions/${index}/${neutral[end]}`, counting: counts[end] })),
  );
  if (passedOver.length === 0) return [];
  const positionOf = positionsIn(
    text,
    passedOver.map(({ pointer }) => pointer),
  );
  return passedOver.map(({ pointer, counting }) => {
    const message = `is ignored because ${counting} is present too. Remove one of the two.`;
    return { level: "warning", rule: "two-spellings", pointer, ...positionOf(pointer), message };
  });
}
