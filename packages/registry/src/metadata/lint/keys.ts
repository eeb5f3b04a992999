import { Package, PackageVersion } from "@backplane/contract/registry";
import { typosBetween } from "@backplane/kit/typos";
import { DEFAULT_BRAND, toolVersionFields } from "../brands.ts";
import { pointerPart } from "../positions.ts";
import type { Finding } from "./rules.ts";

/** Up to this many letters may be wrong, missing or extra. */
const MAX_TYPOS = 2;
/** Shorter keys are similar to too many others. */
const MIN_LETTERS = 5;

const PACKAGE_KEYS: ReadonlySet<string> = new Set(Object.keys(Package.properties));
const VERSION_KEYS: ReadonlySet<string> = new Set(Object.keys(PackageVersion.properties));

/** Misplaced and misspelt keys. Values are in the neutral spelling, messages in the brand's. */
export function* lintKeys(
  kind: "Package" | "PackageVersion",
  value: object,
  pointer: string,
  brand: string,
): Generator<Finding> {
  const known = kind === "Package" ? PACKAGE_KEYS : VERSION_KEYS;
  for (const key of Object.keys(value)) {
    if (known.has(key)) continue;
    const at = `${pointer}/${pointerPart(key)}`;
    if (kind === "Package" && VERSION_KEYS.has(neutral(key, brand))) {
      yield {
        rule: "key-misplaced",
        pointer: at,
        message: "belongs to a version and is ignored here. Move it there.",
      };
      continue;
    }
    const near = nearest(neutral(key, brand), known, value);
    if (near === undefined) continue;
    const fix = branded(near, brand);
    yield { rule: "key-misspelt", pointer: at, message: `is ignored. Did you mean ${fix}?`, fix };
  }
}

const FIELDS = toolVersionFields(DEFAULT_BRAND);

function neutral(key: string, brand: string): string {
  return key.startsWith(`${brand}_`) ? `${DEFAULT_BRAND}_${key.slice(brand.length + 1)}` : key;
}

/** The name of a key in the brand's spelling. */
export function branded(key: string, brand: string): string {
  const { minimum, maximum } = toolVersionFields(brand);
  if (key === FIELDS.minimum) return minimum;
  return key === FIELDS.maximum ? maximum : key;
}

function nearest(key: string, known: ReadonlySet<string>, value: object): string | undefined {
  const folded = key.toLowerCase().replaceAll(/[-_ ]/g, "");
  const words = sorted(key);
  return [...known].find((name) => {
    // A key that is already present was not meant again.
    if (Object.hasOwn(value, name)) return false;
    const plain = name.replaceAll("_", "");
    return folded === plain || words === sorted(name) || isNear(folded, plain);
  });
}

/** "tool_max_version" for "tool_version_max". */
const sorted = (key: string): string => key.toLowerCase().split("_").sort().join();

function isNear(a: string, b: string): boolean {
  if (b.length < MIN_LETTERS || Math.abs(a.length - b.length) > MAX_TYPOS) return false;
  return typosBetween(a, b) <= (b.length > 7 ? MAX_TYPOS : 1);
}
