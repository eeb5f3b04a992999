import type { Package, PackageVersion } from "@backplane/contract/registry";
import { isAtMost, readToolVersion, readVersion } from "../../versions/version-numbers.ts";
import { pointerPart } from "../positions.ts";
import { whyNotV1 } from "../schema-versions.ts";
import { lintKeep } from "./keep-patterns.ts";
import { branded, lintKeys } from "./keys.ts";
import { lintAddress, lintContact, lintHash, lintLink } from "./references.ts";
import type { Finding, Place } from "./rules.ts";

/** The types and categories that KiCad 10 knows. */
const TYPES: readonly string[] = ["plugin", "library", "colortheme", "fab", "datasource"];
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
  yield* lintKind(pkg, pointer);
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
  if (pkg.name.trim() === "")
    yield { rule: "name-empty", pointer: `${pointer}/name`, message: "is empty. Give the package a name." };
  for (const key of ["description", "description_full"] as const) {
    if (pkg[key].trim() !== "") continue;
    yield { rule: "description-empty", pointer: `${pointer}/${key}`, message: "is empty. Say what the package does." };
  }
  const full = `${pointer}/description_full`;
  if (pkg.description_full.trim() === pkg.description.trim() && pkg.description.trim() !== "") {
    const message = "repeats description. Explain more: what it is for, how to begin.";
    yield { rule: "description-repeated", pointer: full, message };
  }
  if (MARKUP.test(pkg.description_full)) {
    const message = "contains HTML, which clients show as text or not at all. Write plain text.";
    yield { rule: "description-markup", pointer: full, message };
  }
  if (!pkg.identifier.includes(".")) {
    const message = "has no dot, so others may choose the same one. Begin with a domain: org.example.name";
    yield { rule: "identifier-short", pointer: `${pointer}/identifier`, message };
  }
}

function* lintKind(pkg: Package, pointer: string): Generator<Finding> {
  if (!TYPES.includes(pkg.type)) {
    const message = `is not one of KiCad's types: ${TYPES.join(", ")}. KiCad skips the package.`;
    yield { rule: "type-unknown", pointer: `${pointer}/type`, message };
  }
  if (pkg.category !== undefined && !CATEGORIES.includes(pkg.category)) {
    const message = `is not one of KiCad's categories: ${CATEGORIES.join(" and ")}.`;
    yield { rule: "category-unknown", pointer: `${pointer}/category`, message };
  }
  if (VAGUE_LICENSES.includes(pkg.license)) {
    const message = "does not grant any rights. Name the licence that is in the archive.";
    yield { rule: "license-vague", pointer: `${pointer}/license`, message };
  }
  const needed = whyNotV1(pkg);
  if (needed) {
    const message = `makes this a package for KiCad 10 and later: ${needed.because}. Older versions do not list it, and refuse a list of version 1 that has it.`;
    yield { rule: "needs-v2", pointer: `${pointer}/${needed.field}`, message };
  }
}

function* lintVersions({ versions }: Package, pointer: string): Generator<Finding> {
  const seen = new Map<string, string>();
  for (const [index, { version, version_epoch }] of versions.entries()) {
    const number = readVersion(version, version_epoch)?.join(".") ?? "";
    const before = seen.get(number);
    seen.set(number, version);
    if (before === undefined) continue;
    const message = `is the same version as ${before} above. Keep one of them, or raise version_epoch.`;
    yield { rule: "version-twice", pointer: `${pointer}/versions/${index}/version`, message };
  }
  if (versions.length > 0 && versions.every(({ status }) => status === "deprecated")) {
    const message = "are all deprecated. Add a replacement, or empty the list to withdraw the package.";
    yield { rule: "versions-deprecated", pointer: `${pointer}/versions`, message };
  }
}

/** One version, at the pointer. */
function* lintVersion(
  pkg: Package,
  listed: PackageVersion,
  pointer: string,
  { brand, place }: { brand: string; place: Place },
): Generator<Finding> {
  yield* lintKeys("PackageVersion", listed, pointer, brand);
  yield* lintRange(listed, pointer, brand);
  yield* place === "listing" ? lintListed(listed, pointer) : lintInArchive(listed, pointer);
  if (listed.runtime !== undefined && pkg.type !== "plugin") {
    const message = `is only for plugins, and this is a ${pkg.type}. Remove it.`;
    yield { rule: "runtime-unused", pointer: `${pointer}/runtime`, message };
  }
  for (const [index, pattern] of listed.keep_on_update?.entries() ?? []) {
    yield* lintKeep(`${pointer}/keep_on_update/${index}`, pattern, pkg.identifier);
  }
}

function* lintRange(listed: PackageVersion, pointer: string, brand: string): Generator<Finding> {
  const minimum = readToolVersion(listed.tool_version);
  const maximum = readToolVersion(listed.tool_version_max ?? "");
  if (minimum && maximum && !isAtMost(minimum, maximum)) {
    const at = `${pointer}/${branded("tool_version_max", brand)}`;
    const message = `is below the minimum, ${listed.tool_version}, so the version works nowhere.`;
    yield { rule: "tool-range-empty", pointer: at, message };
  }
}

const DOWNLOADS = [
  ["download_url", "download-url-missing", "is missing, so the version cannot be installed."],
  ["download_sha256", "download-sha256-missing", "is missing, so the download cannot be verified."],
  ["download_size", "download-size-missing", "is missing, so nobody knows how large the download is."],
  ["install_size", "install-size-missing", "is missing, so nobody knows how much space it takes."],
] as const;

function* lintListed(listed: PackageVersion, pointer: string): Generator<Finding> {
  for (const [key, rule, message] of DOWNLOADS) {
    if (listed[key] === undefined) yield { rule, pointer: `${pointer}/${key}`, message };
  }
  if (listed.download_url !== undefined) yield* lintAddress(`${pointer}/download_url`, listed.download_url);
  if (listed.download_sha256 !== undefined) yield* lintHash(`${pointer}/download_sha256`, listed.download_sha256);
  for (const key of ["download_size", "install_size"] as const) {
    if (listed[key] !== 0) continue;
    yield { rule: "size-placeholder", pointer: `${pointer}/${key}`, message: "is 0. Use the number of bytes." };
  }
}

/** Publishing computes these; what the archive states is ignored. */
function* lintInArchive(listed: PackageVersion, pointer: string): Generator<Finding> {
  for (const key of ["download_url", "download_sha256", "download_size"] as const) {
    if (listed[key] === undefined) continue;
    const message = "cannot be known inside the archive and is computed when it is published. Remove it.";
    yield { rule: "download-in-archive", pointer: `${pointer}/${key}`, message };
  }
}
