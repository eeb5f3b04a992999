import { type CheckNote, type Package, REGISTRY_LIMITS, type Repository } from "@backplane/contract/registry";
import { DEFAULT_BRAND } from "../brands.ts";
import { positionsIn } from "../positions.ts";
import { lintPackageAt } from "./package.ts";
import { lintRepositoryValue, type RepositoryFacts } from "./repository.ts";
import { type Finding, LINT_RULES, type Place } from "./rules.ts";

export { LINT_RULES, type LintRule } from "./rules.ts";

/** Per text; more would only repeat the same. */
const MAX_NOTES = 1_000;

type LintOptions = {
  /** The spelling of the text. */
  brand?: string;
  place?: Place;
};

/** What the schema allows but is wrong in a package's metadata. `pkg` was read from `text`. */
export function lintPackage(text: string, pkg: Package, options: LintOptions = {}): CheckNote[] {
  const { brand = DEFAULT_BRAND, place = "archive" } = options;
  return placed(text, lintPackageAt(pkg, "", { brand, place }));
}

/** The same for packages.json, including conflicts between its packages. */
export const lintPackages = (text: string, packages: readonly Package[], brand = DEFAULT_BRAND): CheckNote[] =>
  placed(text, lintList(text, packages, brand));

/** The same for repository.json; with the files it names, their hashes are checked too. */
export const lintRepository = (text: string, repository: Repository, facts: RepositoryFacts = {}): CheckNote[] =>
  placed(text, lintIndex(text, repository, facts));

function* lintList(text: string, packages: readonly Package[], brand: string): Generator<Finding> {
  yield* lintSize(text, REGISTRY_LIMITS.maxPackagesBytes);
  const seen = new Map<string, string>();
  for (const [index, pkg] of packages.entries()) {
    const pointer = `/packages/${index}`;
    const before = seen.get(pkg.identifier.toLowerCase());
    seen.set(pkg.identifier.toLowerCase(), pkg.identifier);
    if (before === pkg.identifier) {
      const message = "is also the identifier of a package above. Merge their versions into one package.";
      yield { rule: "identifier-twice", pointer: `${pointer}/identifier`, message };
    } else if (before !== undefined) {
      const message = `differs from ${before} only in upper and lower case. Choose another.`;
      yield { rule: "identifier-case", pointer: `${pointer}/identifier`, message };
    }
    yield* lintPackageAt(pkg, pointer, { brand, place: "listing" });
  }
}

function* lintIndex(text: string, repository: Repository, facts: RepositoryFacts): Generator<Finding> {
  yield* lintSize(text, REGISTRY_LIMITS.maxRepositoryBytes);
  yield* lintRepositoryValue(repository, facts);
}

function* lintSize(text: string, maxBytes: number): Generator<Finding> {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return;
  const message = `has ${bytes.toLocaleString("en")} bytes; KiCad reads at most ${maxBytes.toLocaleString("en")}.`;
  yield { rule: "list-too-large", pointer: "", message };
}

/** Findings as notes, in the order of the text. */
function placed(text: string, found: Generator<Finding>): CheckNote[] {
  const findings = found.take(MAX_NOTES).toArray();
  if (findings.length === 0) return [];
  const positionOf = positionsIn(
    text,
    findings.map(({ pointer }) => pointer),
  );
  return findings
    .map(({ rule, pointer, ...rest }) => ({
      level: LINT_RULES[rule][0],
      rule,
      pointer,
      ...positionOf(pointer),
      ...rest,
    }))
    .sort((a, b) => a.line - b.line || a.column - b.column);
}
