import type { CheckNote, Package } from "@backplane/contract/registry";
import { type Checker, createChecker } from "../../metadata/check.ts";
import { writePackage } from "../../repository/packages-json.ts";
import { fault } from "./fault.ts";

const checkers = new Map<string, Checker>();

function checkerOf(brand: string): Checker {
  const checker = checkers.get(brand) ?? createChecker(brand);
  checkers.set(brand, checker);
  return checker;
}

/**
 * Why a package that is right in its own spelling would not be read in another. One such package and clients of that
 * brand refuse the whole list: a key that is unknown in one spelling is a field of the other.
 */
export function whyUnreadable(pkg: Package, brands: readonly string[]): CheckNote | undefined {
  const broken = brokenText(pkg, "");
  if (broken !== undefined) {
    return fault("schema", broken, "has half a character, which strict readers of JSON refuse. Write it anew");
  }
  for (const brand of brands) {
    const checked = checkerOf(brand)(writePackage(pkg, brand), "Package");
    const [first] = "faults" in checked ? checked.faults : [];
    if (first) return fault("schema", first.pointer, `${first.message}, as clients of ${brand} read it too`);
  }
  return undefined;
}

/** Where a text, or a key, has one half of a pair of surrogates. Depth is bounded by the checker. */
function brokenText(value: unknown, pointer: string): string | undefined {
  if (typeof value === "string") return value.isWellFormed() ? undefined : pointer;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (!key.isWellFormed()) return pointer;
    const broken = brokenText(inner, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
    if (broken !== undefined) return broken;
  }
  return undefined;
}
