import { type Package, type SchemaVersion, V1_TYPES, WORD_PATTERN } from "@backplane/contract/registry";
import { isV1License } from "./licenses.ts";

/** The version that a repository.json states. Absent means 1; later ones are read as 2, as KiCad does. */
export const schemaVersionOf = (stated: unknown): SchemaVersion => (typeof stated === "number" && stated >= 2 ? 2 : 1);

type Needed = { field: "type" | "license"; because: string };

/** Why version 1 of the schema cannot express a package; undefined if it can. */
export function whyNotV1({ type, license }: Pick<Package, "type" | "license">): Needed | undefined {
  if (!V1_TYPES.some((known) => known === type)) {
    return { field: "type", because: `version 1 of the schema has no type "${type}"` };
  }
  if (isV1License(license)) return undefined;
  return { field: "license", because: `the licence "${license}" is not on the list of version 1 of the schema` };
}

const WORD = new RegExp(WORD_PATTERN);

/** The package as clients of this version read it, the same object if nothing changes; undefined if they cannot. */
export function inVersion(pkg: Package, version: SchemaVersion): Package | undefined {
  if (version === 1) return whyNotV1(pkg) ? undefined : pkg;
  // Version 1 allows any text here, and one invalid package makes KiCad refuse the whole list.
  const { category, ...rest } = pkg;
  return category === undefined || WORD.test(category) ? pkg : rest;
}
