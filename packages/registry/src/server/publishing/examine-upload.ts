import { PANEL_JSON, PANEL_PACKAGE_LIMITS, type PanelManifest } from "@backplane/contract/panels";
import type { CheckNote, Package, PackageVersion } from "@backplane/contract/registry";
import type { Archive, Screenshot } from "../../archives/archive.ts";
import { inspectArchive } from "../../archives/read-archive.ts";
import { type Checker, createChecker } from "../../metadata/check.ts";
import { lintPackage } from "../../metadata/lint/lint.ts";
import { readPackage } from "../../metadata/read.ts";
import { readPanel } from "../../panels/read-panel.ts";
import { MANIFEST_LIMITS, writeManifest } from "../../repository/manifests-json.ts";
import { writePackage } from "../../repository/packages-json.ts";
import { sha256Of } from "../../values.ts";
import { readVersion, type VersionNumber } from "../../versions/version-numbers.ts";
import { PUBLISHING_LIMITS } from "./options.ts";

type Measured = { installSize: number; fileCount: number };

/** What an archive would publish. */
export type Candidate = Measured & {
  /** In the neutral spelling, without versions. */
  package: Package;
  version: PackageVersion;
  number: VersionNumber;
  icon?: Uint8Array;
  screenshots?: Screenshot[];
  panel?: PanelManifest;
  manifest: { text: string; sha256: string; size: number };
};

/** Everything found in an archive. Without `archive` it is refused; without `candidate` its metadata is. */
export type Examined = { archive?: Measured; candidate?: Candidate; notes: CheckNote[] };

export async function examineUpload(file: string, brands: readonly string[]): Promise<Examined> {
  const inspected = await inspectArchive(file);
  if ("refusal" in inspected) {
    const { reason, message, path } = inspected.refusal;
    return { notes: [{ level: "error", rule: reason, message, ...(path === undefined ? {} : { path }) }] };
  }
  const tooLong = manifestFault(inspected.archive);
  if (tooLong) return { notes: [tooLong] };
  const { metadata, files, installSize } = inspected.archive;
  const archive = { installSize, fileCount: files.length };
  const tooLongToList = lengthFault(metadata);
  if (tooLongToList) return { archive, notes: [tooLongToList] };
  const read = readPackage(metadata, { brands });
  if ("faults" in read) return { archive, notes: read.faults.slice(0, PUBLISHING_LIMITS.maxNotes) };
  // The linter's errors are about lists; here the server writes those fields itself.
  const found = [...read.notes, ...lintPackage(metadata, read.package, { brand: read.brand })];
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
  const panel = panelOf(inspected.archive, read.package.type, inspected.size);
  if (panel && "faults" in panel) return { archive, notes: panel.faults.slice(0, PUBLISHING_LIMITS.maxNotes) };
  const pkg = { ...read.package, versions: [] };
  return {
    archive,
    candidate: candidateOf(inspected.archive, { package: pkg, version, number, ...(panel ?? {}) }),
    notes,
  };
}

/** Undefined: it is not a panel for workspaces. */
function panelOf({ panelJson, files }: Archive, type: string, size: number): ReturnType<typeof readPanel> | undefined {
  const listed = files.find(({ path }) => path === PANEL_JSON);
  if (!listed) return undefined;
  const { maxArchiveBytes, maxManifestBytes } = PANEL_PACKAGE_LIMITS;
  const refuse = (pointer: string, message: string) => ({ faults: [fault("panel", pointer, message)] });
  if (type !== "plugin") return refuse("/type", `must be plugin, because there is a ${PANEL_JSON}`);
  if (size > maxArchiveBytes) return refuse("", `is a panel, whose archive has at most ${maxArchiveBytes} bytes`);
  if (panelJson === undefined)
    return { faults: [{ ...fault("panel", "", `has more than ${maxManifestBytes} bytes`), path: PANEL_JSON }] };
  return readPanel(panelJson, files);
}

function candidateOf(
  { files, installSize, icon, screenshots }: Archive,
  named: Pick<Candidate, "package" | "version" | "number" | "panel">,
): Candidate {
  const [epoch] = named.number;
  const manifest = writeManifest({
    identifier: named.package.identifier,
    version: named.version.version,
    ...(epoch === 0 ? {} : { version_epoch: epoch }),
    files,
  });
  return {
    ...named,
    ...{ installSize, fileCount: files.length },
    ...(icon ? { icon } : {}),
    ...(screenshots ? { screenshots } : {}),
    manifest: { text: manifest.toString(), sha256: sha256Of(manifest), size: manifest.length },
  };
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

/** Before everything that takes longer the more there is to check. Spaces between values do not count. */
function lengthFault(metadata: string): CheckNote | undefined {
  const bytes = listedBytes(metadata);
  if (bytes <= PUBLISHING_LIMITS.maxListedBytes) return undefined;
  const most = `${PUBLISHING_LIMITS.maxListedBytes.toLocaleString("en")} bytes`;
  const message = `has ${bytes.toLocaleString("en")} bytes; the limit is ${most} per package. Shorten it`;
  return fault("too-long-to-list", "", message);
}

function listedBytes(metadata: string): number {
  try {
    return Buffer.byteLength(JSON.stringify(JSON.parse(metadata)));
  } catch {
    // Not JSON, or nested too deep: the checks say where.
    return 0;
  }
}

const checkers = new Map<string, Checker>();

function checkerOf(brand: string): Checker {
  const checker = checkers.get(brand) ?? createChecker(brand, { version: "either" });
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
