import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Package, PackageVersion } from "@backplane/contract/registry";
import { writeFileAtomically } from "@backplane/kit/atomic-file";
import type { Archive } from "../../archives/archive.ts";
import { inspectArchive } from "../../archives/read-archive.ts";
import { archivePlace, isOurs } from "../../repository/building/places.ts";
import { type Manifest, manifestOf } from "../../repository/manifests-json.ts";
import { compareVersions, versionKey } from "../../versions/version-numbers.ts";
import type { Context } from "../context.ts";
import { ManagerFault } from "../faults.ts";
import { exclusively } from "../installing/lock.ts";
import type { Mirrored, MirrorOptions, RepositoryName } from "../manager-types.ts";
import { checkAddress } from "../repositories/configured.ts";
import { download } from "../repositories/download.ts";
import { fetchCurrent } from "../repositories/lists.ts";
import { findMismatch, type WantedArchive, wantedArchive } from "../repositories/wanted-archive.ts";
import { numberOf } from "./find-package.ts";
import { repositoryAt } from "./read-repository.ts";
import { staticFiles, withSlash } from "./static-repository.ts";

export async function mirrorRepository(
  context: Context,
  url: string,
  folder: string,
  options: MirrorOptions,
): Promise<Mirrored> {
  checkAddress(url);
  if (!URL.canParse(options.baseUrl)) {
    throw new ManagerFault(
      "bad-url",
      `"${options.baseUrl}" is not the address of a folder. Give the address at which it will be served.`,
    );
  }
  await mkdir(folder, { recursive: true });
  const { waitForOthersMs } = context.transport.limits;
  return await exclusively(folder, "mirror", waitForOthersMs, () => mirrorAlone(context, url, folder, options));
}

async function mirrorAlone(context: Context, url: string, folder: string, options: MirrorOptions): Promise<Mirrored> {
  const of = await repositoryAt(context, url);
  const list = await fetchCurrent(context.sources, of);
  const copies = await copyAll(context, folder, [...list.packages.values()], of, options);
  const listed = copies.packages.map(({ package: about, copied }): Package => {
    const versions = copied.map(({ version, place }) => ({
      ...version,
      download_url: withSlash(options.baseUrl) + place,
    }));
    return { ...about, versions };
  });
  const all = copies.packages.flatMap(({ copied }) => copied);
  const files = staticFiles({
    name: options.name ?? list.repository.name,
    brand: options.brand ?? context.brand,
    baseUrl: options.baseUrl,
    maintainer: list.repository.maintainer,
    packages: listed,
    manifests: copies.packages.flatMap(({ package: about, copied }) => manifestsOf(about, copied)),
    icons: iconsOf(copies.packages),
    updateTimestamp: list.repository.packages.update_timestamp,
    nowS: Math.floor(context.now() / 1_000),
    signingKey: options.signingKey,
    before: folder,
  });
  for (const { path, bytes } of files) await writeFileAtomically(join(folder, path), bytes);
  const named = new Set([...files.map(({ path }) => path), ...all.map(({ place }) => place)]);
  return {
    packages: listed.length,
    versions: all.length,
    fetched: all.filter(({ isFetched }) => isFetched).length,
    present: all.filter(({ isFetched }) => !isFetched).length,
    bytes: all.reduce((sum, { size, isFetched }) => sum + (isFetched ? size : 0), 0),
    pruned: options.prune ? await prune(folder, named) : [],
    leftOut: copies.leftOut,
    warnings: list.warnings,
  };
}

type CopiedVersion = Copied & { version: PackageVersion; place: string };
type CopiedPackage = { package: Package; copied: CopiedVersion[] };

async function copyAll(
  context: Context,
  folder: string,
  packages: readonly Package[],
  of: RepositoryName,
  { strict }: MirrorOptions,
): Promise<{ packages: CopiedPackage[]; leftOut: Mirrored["leftOut"] }> {
  const total = packages.reduce((sum, { versions }) => sum + versions.length, 0);
  const leftOut: Mirrored["leftOut"] = [];
  const all: CopiedPackage[] = [];
  let done = 0;
  for (const about of packages) {
    const { identifier } = about;
    const copied: CopiedVersion[] = [];
    for (const version of about.versions) {
      try {
        const place = archivePlace({ identifier, ...version }, version.download_sha256 ?? "");
        const copy = await copyArchive(context, identifier, version, of.url, join(folder, place));
        const { size, archive } = copy;
        copied.push({
          ...copy,
          place,
          version: { ...version, download_size: size, install_size: archive.installSize },
        });
      } catch (error) {
        if (!(error instanceof ManagerFault) || strict || error.code === "aborted") throw error;
        leftOut.push({ identifier, version: versionKey(version), fault: error });
      }
      done += 1;
      context.onProgress({ kind: "mirror", identifier, done, total });
    }
    // A withdrawn package stays withdrawn; one that could not be copied at all is left out.
    if (copied.length > 0 || about.versions.length === 0) all.push({ package: about, copied });
  }
  return { packages: all, leftOut };
}

const manifestsOf = (about: Package, copied: readonly CopiedVersion[]): Manifest[] =>
  copied.map(({ version, archive }) => manifestOf(about, version, archive.files));

/** The icon of the latest version that has one. */
function iconsOf(packages: readonly CopiedPackage[]): Map<string, Uint8Array> {
  const icons = new Map<string, Uint8Array>();
  for (const { package: about, copied } of packages) {
    const later = copied.toSorted((a, b) => compareVersions(numberOf(b.version), numberOf(a.version)));
    const icon = later.find(({ archive }) => archive.icon)?.archive.icon;
    if (icon) icons.set(about.identifier, icon);
  }
  return icons;
}

/** Deletes only files that belong to a repository. */
async function prune(folder: string, named: ReadonlySet<string>): Promise<string[]> {
  const pruned: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const place = path.slice(join(folder, "/").length).replaceAll("\\", "/");
    const isLeftover = place.startsWith("archives/") && place.endsWith(".part");
    if (named.has(place) || !(isLeftover || isOurs(place))) continue;
    await rm(path, { force: true });
    pruned.push(place);
  }
  return pruned.sort();
}

type Copied = { archive: Archive; size: number; isFetched: boolean };

/** Downloads to `file`, unless it is there with the right hash. */
async function copyArchive(
  context: Context,
  identifier: string,
  version: PackageVersion,
  repositoryUrl: string,
  file: string,
): Promise<Copied> {
  const wanted = wantedArchive(identifier, version, repositoryUrl);
  if (await stat(file).catch(() => undefined)) {
    const present = await inspect(context, file, wanted.what);
    const isRight = present.sha256 === wanted.sha256 && (wanted.size === undefined || wanted.size === present.size);
    if (isRight && "archive" in present) return { ...present, isFetched: false };
  }
  await mkdir(dirname(file), { recursive: true });
  await fetchTo(context, wanted, `${file}.part`, true);
  const fetched = await inspect(context, `${file}.part`, wanted.what);
  if ("refusal" in fetched) {
    await rm(`${file}.part`, { force: true });
    throw fetched.refusal;
  }
  await rename(`${file}.part`, file);
  return { ...fetched, isFetched: true };
}

async function inspect(context: Context, file: string, what: string) {
  const inspected = await inspectArchive(file, context.signal ? { signal: context.signal } : {});
  if ("archive" in inspected) return inspected;
  const { reason, message } = inspected.refusal;
  const refusal = new ManagerFault("archive-refused", `The archive of ${what} is refused (${reason}): ${message}`, {
    reason,
  });
  return { refusal, sha256: undefined, size: 0 };
}

async function fetchTo(context: Context, wanted: WantedArchive, part: string, mayResume: boolean): Promise<void> {
  const { transport, onProgress } = context;
  const { identifier, what, url, size } = wanted;
  const got = await download(transport, url, part, {
    what,
    maxBytes: transport.limits.maxArchiveBytes,
    ...(size === undefined ? {} : { expectedBytes: size }),
    onProgress: (done, total) => onProgress({ kind: "download", identifier, done, total }),
  });
  const wrong = await findMismatch(wanted, got, part);
  if (!wrong) return;
  await rm(part, { force: true });
  if (!got.resumed || !mayResume) throw wrong;
  await fetchTo(context, wanted, part, false);
}
