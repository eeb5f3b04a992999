import type { CheckNote, Package, PackageVersion } from "@backplane/contract/registry";
import type { Archive } from "../../archives/archive.ts";
import { inspectArchive } from "../../archives/read-archive.ts";
import { type Checker, createChecker } from "../../metadata/check.ts";
import { lintPackage } from "../../metadata/lint/lint.ts";
import { readPackage } from "../../metadata/read.ts";
import { MANIFEST_LIMITS } from "../../repository/manifests-json.ts";
import { writePackage } from "../../repository/packages-json.ts";
import { readVersion, type VersionNumber } from "../../versions/version-numbers.ts";
import { PUBLISHING_LIMITS } from "./options.ts";

/** What an archive would publish. */
export type Candidate = {
  archive: Archive;
  /** In the neutral spelling, without versions. */
  package: Package;
  version: PackageVersion;
  number: VersionNumber;
};

/** Everything found in an archive. Without `archive` it is refused; without `candidate` its metadata is. */
export type Examined = { archive?: Archive; candidate?: Candidate; notes: CheckNote[] };

export async function examineUpload(file: string, brands: readonly string[]): Promise<Examined> {
  const inspected = await inspectArchive(file);
  if ("refusal" in inspected) {
    const { reason, message, path } = inspected.refusal;
    return { notes: [{ level: "error", rule: reason, message, ...(path === undefined ? {} : { path }) }] };
  }
  const { archive } = inspected;
  const tooLong = manifestFault(archive);
  if (tooLong) return { notes: [tooLong] };
  const read = readPackage(archive.metadata, { brands });
  if ("faults" in read) return { archive, notes: read.faults.slice(0, PUBLISHING_LIMITS.maxNotes) };
  // The linter's errors are about lists; here the server writes those fields itself.
  const found = [...read.notes, ...lintPackage(archive.metadata, read.package, { brand: read.brand })];
  const notes = found.slice(0, PUBLISHING_LIMITS.maxNotes).map((note): CheckNote => ({ ...note, level: "warning" }));
  const [version, ...others] = read.package.versions;
  if (!version || others.length > 0) {
    const count = read.package.versions.length;
    return {
      archive,
      notes: [fault("one-version", "/versions", `has ${count} versions; an archive must have exactly one`)],
    };
  }
  const number = readVersion(version.version, version.version_epoch);
  if (!number) {
    const message = `must be at most ${Number.MAX_SAFE_INTEGER}`;
    return { archive, notes: [fault("schema", "/versions/0/version_epoch", message)] };
  }
  const unreadable = whyUnreadable(read.package, brands);
  if (unreadable) return { archive, notes: [unreadable] };
  const listedBytes = Buffer.byteLength(JSON.stringify(read.package));
  if (listedBytes > PUBLISHING_LIMITS.maxListedBytes) {
    const most = `${PUBLISHING_LIMITS.maxListedBytes.toLocaleString("en")} bytes`;
    const message = `has ${listedBytes.toLocaleString("en")} bytes; the limit is ${most} per package. Shorten it`;
    return { archive, notes: [fault("too-long-to-list", "", message)] };
  }
  return { archive, candidate: { archive, package: { ...read.package, versions: [] }, version, number }, notes };
}

/** A file takes less than this in a manifest, in addition to its path. */
const MANIFEST_BYTES_A_FILE = 120;

/** Clients limit the size of manifests. */
function manifestFault({ files }: Archive): CheckNote | undefined {
  const bytes = files.reduce((sum, { path }) => sum + Buffer.byteLength(path) + MANIFEST_BYTES_A_FILE, 0);
  if (bytes <= MANIFEST_LIMITS.maxManifestBytes) return undefined;
  const message = `The list of its ${files.length.toLocaleString("en")} files is too long. Pack fewer files, or use shorter names.`;
  return { level: "error", rule: "too-many-entries", message };
}

const checkers = new Map<string, Checker>();

function checkerOf(brand: string): Checker {
  const checker = checkers.get(brand) ?? createChecker(brand);
  checkers.set(brand, checker);
  return checker;
}

/**
 * Why a package that is valid in its own spelling is invalid in another: an unknown key in one spelling can be a field
 * of the other. One such package would make clients of that brand refuse the whole list.
 */
function whyUnreadable(pkg: Package, brands: readonly string[]): CheckNote | undefined {
  const broken = brokenText(pkg, "");
  if (broken !== undefined) {
    return fault("schema", broken, "has half of a surrogate pair, which strict JSON parsers refuse. Type it again");
  }
  for (const brand of brands) {
    const checked = checkerOf(brand)(writePackage(pkg, brand), "Package");
    const [first] = "faults" in checked ? checked.faults : [];
    if (first) return fault("schema", first.pointer, `${first.message}, as clients of ${brand} read it too`);
  }
  return undefined;
}

/** The pointer of a text or key with half of a surrogate pair. The checker limits the depth. */
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

export const fault = (rule: string, pointer: string, message: string): CheckNote => ({
  level: "error",
  rule,
  pointer,
  message,
});
