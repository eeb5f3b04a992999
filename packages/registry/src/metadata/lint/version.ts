import type { Package, PackageVersion } from "@backplane/contract/registry";
import { isAtMost, readToolVersion } from "../../versions/tool-version.ts";
import { lintAddress } from "./addresses.ts";
import { lintHash } from "./hashes.ts";
import { lintKeep } from "./keep.ts";
import { branded, lintKeys } from "./keys.ts";
import type { Finding, Place } from "./rules.ts";

/** One version, at the pointer. */
export function* lintVersion(
  pkg: Package,
  listed: PackageVersion,
  pointer: string,
  { brand, place }: { brand: string; place: Place },
): Generator<Finding> {
  yield* lintKeys("PackageVersion", listed, pointer, brand);
  yield* lintRange(listed, pointer, brand);
  yield* place === "listing" ? lintListed(listed, pointer) : lintInArchive(listed, pointer);
  if (listed.runtime !== undefined && pkg.type !== "plugin") {
    const message = `is for plugins only, and this is a ${pkg.type}. Remove it.`;
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
    const message = `is below ${listed.tool_version}, the minimum: the version works nowhere.`;
    yield { rule: "tool-range-empty", pointer: at, message };
  }
}

const DOWNLOADS = [
  ["download_url", "download-url-missing", "is missing: the version cannot be installed."],
  ["download_sha256", "download-sha256-missing", "is missing: the download cannot be verified."],
  ["download_size", "download-size-missing", "is missing: nobody sees how much is downloaded."],
  ["install_size", "install-size-missing", "is missing: nobody sees how much space it takes."],
] as const;

function* lintListed(listed: PackageVersion, pointer: string): Generator<Finding> {
  for (const [key, rule, message] of DOWNLOADS) {
    if (listed[key] === undefined) yield { rule, pointer: `${pointer}/${key}`, message };
  }
  if (listed.download_url !== undefined) yield* lintAddress(`${pointer}/download_url`, listed.download_url);
  if (listed.download_sha256 !== undefined) yield* lintHash(`${pointer}/download_sha256`, listed.download_sha256);
  for (const key of ["download_size", "install_size"] as const) {
    if (listed[key] !== 0) continue;
    yield { rule: "size-placeholder", pointer: `${pointer}/${key}`, message: "is 0. Put the number of bytes there." };
  }
}

/** Whoever publishes the archive computes these, whatever is said here. */
function* lintInArchive(listed: PackageVersion, pointer: string): Generator<Finding> {
  for (const key of ["download_url", "download_sha256", "download_size"] as const) {
    if (listed[key] === undefined) continue;
    const message = "says what only holds once the archive is made. It is computed anew; remove it.";
    yield { rule: "download-in-archive", pointer: `${pointer}/${key}`, message };
  }
}
