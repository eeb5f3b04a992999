import type { Package } from "@backplane/contract/registry";
import { readVersion } from "../../versions/version-number.ts";
import { pointerPart } from "../positions.ts";
import { lintLink } from "./addresses.ts";
import { lintContact } from "./contacts.ts";
import { lintKeep } from "./keep.ts";
import { lintKeys } from "./keys.ts";
import type { Finding, Place } from "./rules.ts";
import { lintVersion } from "./version.ts";

/** What the field's client sorts packages by. */
const CATEGORIES: readonly string[] = ["general", "fab"];
const VAGUE_LICENSES: readonly string[] = ["open-source", "unrestricted"];
const MARKUP = /<[a-z!/][^<>]*>/i;

/** One package, at the pointer. */
export function* lintPackageAt(
  pkg: Package,
  pointer: string,
  options: { brand: string; place: Place },
): Generator<Finding> {
  yield* lintKeys("Package", pkg, pointer, options.brand);
  yield* lintTexts(pkg, pointer);
  yield* lintContact(`${pointer}/author`, pkg.author);
  if (pkg.maintainer) yield* lintContact(`${pointer}/maintainer`, pkg.maintainer);
  for (const [name, link] of Object.entries(pkg.resources)) {
    yield* lintLink(`${pointer}/resources/${pointerPart(name)}`, link);
  }
  for (const [index, pattern] of pkg.keep_on_update?.entries() ?? []) {
    yield* lintKeep(`${pointer}/keep_on_update/${index}`, pattern, pkg.identifier);
  }
  yield* lintVersions(pkg, pointer);
  for (const [index, listed] of pkg.versions.entries()) {
    yield* lintVersion(pkg, listed, `${pointer}/versions/${index}`, options);
  }
}

function* lintTexts(pkg: Package, pointer: string): Generator<Finding> {
  if (pkg.name.trim() === "") yield { rule: "name-empty", pointer: `${pointer}/name`, message: "is empty. Name it." };
  for (const key of ["description", "description_full"] as const) {
    if (pkg[key].trim() !== "") continue;
    yield { rule: "description-empty", pointer: `${pointer}/${key}`, message: "is empty. Say what the package does." };
  }
  const full = `${pointer}/description_full`;
  if (pkg.description_full.trim() === pkg.description.trim() && pkg.description.trim() !== "") {
    const message = "says only what description says. Say more: what for, how to begin.";
    yield { rule: "description-repeated", pointer: full, message };
  }
  if (MARKUP.test(pkg.description_full)) {
    const message = "has HTML in it, which clients show as text or not at all. Write plain text.";
    yield { rule: "description-markup", pointer: full, message };
  }
  if (pkg.category !== undefined && !CATEGORIES.includes(pkg.category)) {
    const message = `is not known in the field, which has ${CATEGORIES.join(" and ")}.`;
    yield { rule: "category-unknown", pointer: `${pointer}/category`, message };
  }
  if (VAGUE_LICENSES.includes(pkg.license)) {
    const message = "grants nothing by itself. Name the licence that is in the archive.";
    yield { rule: "license-vague", pointer: `${pointer}/license`, message };
  }
  if (!pkg.identifier.includes(".")) {
    const message = "has no dot, so that others may choose the same. Begin with a domain: org.example.name";
    yield { rule: "identifier-short", pointer: `${pointer}/identifier`, message };
  }
}

function* lintVersions({ versions }: Package, pointer: string): Generator<Finding> {
  const seen = new Map<string, string>();
  for (const [index, { version, version_epoch }] of versions.entries()) {
    const number = readVersion(version, version_epoch)?.join(".") ?? "";
    const before = seen.get(number);
    seen.set(number, version);
    if (before === undefined) continue;
    const message = `is the same version as ${before} above. Clients take either; keep one, or raise version_epoch.`;
    yield { rule: "version-twice", pointer: `${pointer}/versions/${index}/version`, message };
  }
  if (versions.length > 0 && versions.every(({ status }) => status === "deprecated")) {
    const message = "are all deprecated. Add one that takes their place, or empty the list to delist the package.";
    yield { rule: "versions-deprecated", pointer: `${pointer}/versions`, message };
  }
}
