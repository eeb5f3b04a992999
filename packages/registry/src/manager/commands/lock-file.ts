import { readFile, stat } from "node:fs/promises";
import type { Package, PackageVersion } from "@backplane/contract/registry";
import { writeFileAtomically } from "@backplane/kit/atomic-file";
import { readPackage } from "../../metadata/read.ts";
import { isCount, isLooseIdentifier, isRecord, isSha256 } from "../../values.ts";
import { readVersion, versionKey } from "../../versions/version-numbers.ts";
import { type Context, type InstalledPackage, installedNow } from "../context.ts";
import { ManagerFault } from "../faults.ts";
import { isUnidentified } from "../installing/state-file.ts";
import { UNIDENTIFIED } from "../installing/verify.ts";
import type { Lock, LockedPackage, Outcome, WrittenLock } from "../manager-types.ts";
import { repositoryId } from "../repositories/configured.ts";
import { wantedArchive } from "../repositories/wanted-archive.ts";
import { isSameVersion } from "./find-package.ts";
import { inspectHeld, installPrepared, type Prepared } from "./prepare.ts";

const FORMAT = "backplane-lock-1";

export async function writeLock(context: Context, file: string): Promise<WrittenLock> {
  const repositories = await context.configured.all();
  const installed = await installedNow(context);
  const passedOver = [...installed.values()].filter(({ entry }) => isUnidentified(entry));
  const packages = [...installed.values()]
    .filter((has) => !passedOver.includes(has))
    .map((has) => lockedOf(has, repositories.find(({ id }) => id === has.entry.repository_id)?.url))
    .sort((a, b) => (a.identifier < b.identifier ? -1 : 1));
  const lock: Lock = { format: FORMAT, brand: context.brand, packages };
  await writeFileAtomically(file, `${JSON.stringify(lock, undefined, 2)}\n`);
  const notes = passedOver.map(({ package: { identifier } }) => `${identifier} was left out. ${UNIDENTIFIED}`);
  return { ...lock, notes };
}

function lockedOf({ entry, package: { identifier }, version, current }: InstalledPackage, url = ""): LockedPackage {
  const { download_url, download_sha256: sha256, download_size: size } = version ?? {};
  if (download_url === undefined || sha256 === undefined || size === undefined) {
    throw new ManagerFault(
      "lock-invalid",
      `${identifier} cannot be locked: the address, size or sha256 of its archive is not known. Install it again from a repository that lists them.`,
      { identifier },
    );
  }
  return {
    identifier,
    version: current.version,
    ...(current.version_epoch === 0 ? {} : { version_epoch: current.version_epoch }),
    sha256,
    size,
    url: download_url,
    repository: { id: entry.repository_id, name: entry.repository_name, url },
  };
}

async function readLock(file: string, maxBytes: number, brand: string): Promise<Lock> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) throw new ManagerFault("bad-file", `${file} does not exist. Check the path.`);
  if (found.size > maxBytes) throw noLock(file, `it has more than ${maxBytes} bytes`);
  return readLockText(await readFile(file, "utf8"), file, brand);
}

const noLock = (what: string, why: string) => new ManagerFault("lock-invalid", `${what} is not a lock file: ${why}.`);

export function readLockText(text: string, what: string, brand: string): Lock {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw noLock(what, "it is not JSON");
  }
  if (!isRecord(value) || value.format !== FORMAT || !Array.isArray(value.packages)) {
    throw noLock(what, `its format is not ${FORMAT}`);
  }
  if (value.brand !== brand) throw noLock(what, `it is for the brand ${String(value.brand)}, this is ${brand}`);
  const seen = new Set<string>();
  const packages = value.packages.map((entry: unknown, index) => {
    const locked = asLocked(entry);
    if (!locked) {
      throw noLock(what, `entry ${index + 1} does not name identifier, version, sha256, size, url and repository`);
    }
    if (seen.has(locked.identifier)) throw noLock(what, `it contains ${locked.identifier} twice`);
    seen.add(locked.identifier);
    return locked;
  });
  return { format: FORMAT, brand, packages };
}

function asLocked(value: unknown): LockedPackage | undefined {
  if (!isRecord(value) || !isRecord(value.repository)) return undefined;
  const { identifier, version, version_epoch = 0, sha256, size, url } = value;
  const { name, url: repositoryUrl } = value.repository;
  if (typeof identifier !== "string" || !isLooseIdentifier(identifier)) return undefined;
  if (typeof version !== "string" || typeof version_epoch !== "number") return undefined;
  if (readVersion(version, version_epoch) === undefined) return undefined;
  if (!isSha256(sha256)) return undefined;
  if (!isCount(size) || typeof url !== "string") return undefined;
  if (typeof name !== "string" || typeof repositoryUrl !== "string") return undefined;
  const id = repositoryUrl === "" ? value.repository.id : repositoryId(repositoryUrl);
  if (typeof id !== "string") return undefined;
  return {
    ...{ identifier, version, sha256, size, url },
    ...(version_epoch === 0 ? {} : { version_epoch }),
    repository: { id, name, url: repositoryUrl },
  };
}

export async function installFromLock(
  context: Context,
  file: string,
  { dryRun = false }: { dryRun?: boolean },
): Promise<Outcome[]> {
  const lock = await readLock(file, context.transport.limits.maxLockBytes, context.brand);
  await using all = new AsyncDisposableStack();
  const prepared: Prepared[] = [];
  for (const locked of lock.packages) {
    // If one package cannot be downloaded, nothing is changed: a lock file is installed completely or not at all.
    prepared.push(all.use(await prepareLocked(context, locked)));
  }
  return await installPrepared(context, prepared, { dryRun, mayChangeRepository: true });
}

/** The lock file names the bytes; the metadata is inside the archive. */
async function prepareLocked(context: Context, locked: LockedPackage): Promise<Prepared> {
  const { identifier, repository, sha256, size, url } = locked;
  const named = { version: locked.version, ...(locked.version_epoch ? { version_epoch: locked.version_epoch } : {}) };
  const download = { download_url: url, download_sha256: sha256, download_size: size };
  const bare = { ...named, ...download, status: "stable", tool_version: "0" } as const;
  const wanted = wantedArchive(identifier, bare, url);
  const held = await context.archives.fetch(wanted);
  try {
    const archive = await inspectHeld(context, held, wanted.what);
    const own = ownMetadata(context, archive.metadata, identifier, named);
    const version: PackageVersion = { ...own.version, ...download, install_size: archive.installSize };
    const listed: Package = { ...own.package, versions: [version] };
    const dispose = () => held[Symbol.asyncDispose]();
    return { package: listed, version, held, archive, repository, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await held[Symbol.asyncDispose]();
    throw error;
  }
}

function ownMetadata(
  { brand }: Context,
  metadata: string,
  identifier: string,
  wanted: { version: string; version_epoch?: number },
): { package: Package; version: PackageVersion } {
  const what = `${identifier} ${versionKey(wanted)}`;
  const read = readPackage(metadata, { brands: [brand, "tool", "kicad"], looseUrls: true });
  if ("faults" in read) {
    const [first] = read.faults;
    throw new ManagerFault(
      "wrong-package",
      `The metadata.json in the archive of ${what} cannot be used: ${first?.pointer ?? ""} ${first?.message ?? ""}. Nothing was changed.`,
      { identifier, faults: read.faults },
    );
  }
  const version = read.package.versions.find((candidate) => isSameVersion(candidate, wanted));
  if (read.package.identifier === identifier && version) return { package: read.package, version };
  const is = `${read.package.identifier} ${read.package.versions.map(versionKey).join(", ")}`;
  throw new ManagerFault("wrong-package", `The archive of ${what} contains ${is}. Nothing was changed.`, {
    identifier,
  });
}
