import type { Package } from "@backplane/contract/registry";
import { isRecord } from "../values.ts";

/** The brand of the design tool is part of two field names. Everything inside uses this neutral one. */
export const DEFAULT_BRAND = "tool";

const BRAND = /^[a-z][a-z0-9]{0,30}$/;

export const isBrand = (text: string): boolean => BRAND.test(text);

/** The names of the two fields that limit the tool's versions. */
export const toolVersionFields = (brand: string): { minimum: string; maximum: string } => ({
  minimum: `${brand}_version`,
  maximum: `${brand}_version_max`,
});

/** Converts a package, or a list under `packages`, from the brand's spelling. Anything else is returned unchanged. */
export function toNeutral(value: unknown, brand: string): unknown {
  if (brand === DEFAULT_BRAND || !isRecord(value)) return value;
  const rename = renaming(brand, DEFAULT_BRAND);
  return Array.isArray(value.packages)
    ? { ...value, packages: value.packages.map((pkg) => withVersions(pkg, rename)) }
    : withVersions(value, rename);
}

/** The package in the brand's spelling. */
export const toBrand = (pkg: Package, brand: string): Record<string, unknown> =>
  (brand === DEFAULT_BRAND ? pkg : withVersions(pkg, renaming(DEFAULT_BRAND, brand))) as Record<string, unknown>;

type Rename = (version: unknown) => unknown;

function withVersions(pkg: unknown, rename: Rename): unknown {
  if (!isRecord(pkg) || !Array.isArray(pkg.versions)) return pkg;
  return { ...pkg, versions: pkg.versions.map(rename) };
}

/** Keys keep their order. If both spellings are present, the renamed one wins and the other is dropped. */
function renaming(from: string, to: string): Rename {
  const [old, wanted] = [toolVersionFields(from), toolVersionFields(to)];
  const names = new Map([
    [old.minimum, wanted.minimum],
    [old.maximum, wanted.maximum],
  ]);
  const replaced = new Map([...names].map(([before, after]) => [after, before]));
  if (from === to) return (version) => version;
  return (version) => {
    if (!isRecord(version)) return version;
    const renamed: Record<string, unknown> = {};
    for (const key of Object.keys(version)) {
      const other = replaced.get(key);
      if (other !== undefined && Object.hasOwn(version, other)) continue;
      setOwn(renamed, names.get(key) ?? key, version[key]);
    }
    return renamed;
  };
}

/** In JSON, "__proto__" is a key like any other. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
