import type { Package, SchemaVersion } from "@backplane/contract/registry";
import { positionsIn } from "../../metadata/positions.ts";
import { type Note, readPackage, readPackages } from "../../metadata/read.ts";
import { ManagerFault } from "../faults.ts";
import type { ListWarning } from "../manager-types.ts";

export type ReadList = { packages: Map<string, Package>; warnings: ListWarning[] };

/** More warnings would only repeat the same. */
const MAX_WARNINGS = 200;
/** With more invalid packages the whole list is refused; examining each would take too long. */
const MAX_BROKEN = 1_000;

type ListOptions = { brand: string; version: SchemaVersion; strict: boolean };

/** Lists of real packages have a value per 14 characters. Shorter ones take far more memory than their text: `{}` takes 70 bytes. */
const MIN_CHARACTERS_PER_VALUE = 8;
const FREE_VALUES = 100_000;
const STARTS = new Set(["{", "[", ","].map((character) => character.charCodeAt(0)));

function hasVeryManyValues(text: string): boolean {
  const max = Math.max(FREE_VALUES, text.length / MIN_CHARACTERS_PER_VALUE);
  let values = 0;
  for (let at = 0; at < text.length && values <= max; at += 1) if (STARTS.has(text.charCodeAt(at))) values += 1;
  return values > max;
}

/**
 * packages.json. KiCad refuses a whole list because of one invalid package; here only that package is left out, with a
 * warning, unless `strict`.
 */
export function readList(text: string, what: string, options: ListOptions): ReadList {
  const { brand, version, strict } = options;
  const plain = text.replace(/^\uFEFF/, "");
  if (hasVeryManyValues(plain)) {
    throw new ManagerFault(
      "packages-invalid",
      `${what} is refused: it consists of very many tiny values. Tell its owner.`,
    );
  }
  const read = readPackages(plain, brand, { version, looseUrls: !strict });
  if ("packages" in read) return byIdentifier(read.packages, []);
  const isInPackage = ({ pointer = "" }: ListWarning) => /^\/packages\/\d+(\/|$)/.test(pointer);
  const [first] = read.faults;
  const oneByOne =
    strict || first === undefined || !read.faults.every(isInPackage) ? undefined : readOneByOne(plain, options);
  if (oneByOne) return oneByOne;
  const { pointer = "", line = 1, column = 1, message } = first ?? { message: "cannot be read" };
  throw new ManagerFault(
    "packages-invalid",
    `${what} is refused: ${pointer || "the text"} ${message} (line ${line}, column ${column}). Tell its owner.`,
    { faults: read.faults },
  );
}

/** Undefined if too many packages are invalid. */
function readOneByOne(text: string, { brand, version }: ListOptions): ReadList | undefined {
  const packages: Package[] = [];
  const broken: { identifier: string; pointer: string; fault: Note }[] = [];
  const { packages: listed } = JSON.parse(text) as { packages: unknown[] };
  for (const [index, value] of listed.entries()) {
    const read = readPackage(JSON.stringify(value), { brands: [brand], version, looseUrls: true });
    if ("package" in read) {
      packages.push(read.package);
      continue;
    }
    if (broken.length >= MAX_BROKEN) return undefined;
    const identifier = String((value as { identifier?: unknown } | null)?.identifier ?? `number ${index + 1}`);
    const [fault = { level: "error", rule: "schema", message: "cannot be read" }] = read.faults;
    broken.push({ identifier, pointer: `/packages/${index}${fault.pointer ?? ""}`, fault });
  }
  const positionOf = positionsIn(
    text,
    broken.map(({ pointer }) => pointer),
  );
  const warnings = broken.map(({ identifier, pointer, fault }): ListWarning => {
    const { line, column } = positionOf(pointer);
    const message = `${identifier} is left out: ${pointer} ${fault.message} (line ${line}, column ${column}).`;
    const { fix } = fault;
    return {
      level: "warning",
      rule: "schema",
      identifier,
      pointer,
      line,
      column,
      message,
      ...(fix === undefined ? {} : { fix }),
    };
  });
  return byIdentifier(packages, warnings);
}

function byIdentifier(packages: readonly Package[], warnings: ListWarning[]): ReadList {
  const found = new Map<string, Package>();
  for (const listed of packages) {
    const { identifier } = listed;
    if (!found.has(identifier)) found.set(identifier, listed);
    else if (warnings.length < MAX_WARNINGS) {
      const message = `${identifier} is listed more than once; the first entry counts.`;
      warnings.push({ level: "warning", rule: "listed-twice", identifier, message });
    }
  }
  return { packages: found, warnings };
}
