import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Package } from "@backplane/contract/registry";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { archivePlace, INDEX_NAMES, REPOSITORY_NAMES } from "../../repository/building/places.ts";
import { sha256Of } from "../../values.ts";
import { whyIncompatible } from "../../versions/compatibility.ts";
import { versionKey } from "../../versions/version-numbers.ts";
import type { Context } from "../context.ts";
import { ManagerFault } from "../faults.ts";
import type { LockedPackage, Outcome } from "../manager-types.ts";
import { checkRepository } from "../repositories/fetch-list.ts";
import { readList } from "../repositories/read-list.ts";
import { isSameVersion } from "./find-package.ts";
import { readLockText } from "./lock-file.ts";
import { inspectHeld, installPrepared, type Prepared } from "./prepare.ts";
import { BUNDLE_LOCK } from "./write-bundle.ts";

type BundleOptions = {
  identifiers?: readonly string[];
  dryRun?: boolean;
  force?: boolean;
  changeRepository?: boolean;
};

export async function installFromBundle(context: Context, file: string, options: BundleOptions): Promise<Outcome[]> {
  using bundle = await openBundle(file);
  const { limits } = context.transport;
  const lockText = await must(bundle, BUNDLE_LOCK, limits.maxLockBytes, file);
  const lock = readLockText(lockText.toString("utf8"), `${BUNDLE_LOCK} in ${file}`, context.brand);
  const listed = await readListed(context, bundle, file);
  const wanted = options.identifiers ? pick(lock.packages, options.identifiers, file) : lock.packages;
  await using all = new AsyncDisposableStack();
  const prepared: Prepared[] = [];
  for (const locked of wanted) {
    prepared.push(all.use(await prepareBundled(context, bundle, listed, locked, file, options)));
  }
  return await installPrepared(context, prepared, {
    dryRun: options.dryRun === true,
    mayChangeRepository: options.changeRepository === true,
  });
}

async function must(bundle: BundleReader, name: string, maxBytes: number, file: string): Promise<Buffer> {
  const bytes = await bundle.read(name, maxBytes);
  if (bytes) return bytes;
  throw new ManagerFault("bundle-invalid", `${file} is not a bundle: ${name} is missing. Create it again.`);
}

/** The same rules as for a downloaded repository. */
async function readListed(context: Context, bundle: BundleReader, file: string): Promise<ReadonlyMap<string, Package>> {
  const { limits } = context.transport;
  const { brand } = context;
  // Only a bundle with packages that version 1 of the schema cannot express has a second list.
  const second = await bundle.read(INDEX_NAMES.packages_v2, limits.maxPackagesBytes);
  const version = second ? 2 : 1;
  const text = (await must(bundle, REPOSITORY_NAMES[version], limits.maxRepositoryBytes, file)).toString("utf8");
  const { repository } = checkRepository(text, { id: "", name: file, url: "file:///repository.json" });
  const bytes = second ?? (await must(bundle, INDEX_NAMES.packages, limits.maxPackagesBytes, file));
  const sha256 = sha256Of(bytes);
  if (repository.packages.sha256 !== sha256) {
    throw new ManagerFault(
      "bundle-invalid",
      `packages.json in ${file} does not match its repository.json. Nothing was changed. Create the bundle again.`,
      { expected: repository.packages.sha256, actual: sha256 },
    );
  }
  return readList(bytes.toString("utf8"), `packages.json in ${file}`, { brand, version, strict: true }).packages;
}

function pick(packages: readonly LockedPackage[], identifiers: readonly string[], file: string): LockedPackage[] {
  return identifiers.map((identifier) => {
    const found = packages.find((locked) => locked.identifier === identifier);
    if (found) return found;
    const there = packages.map((locked) => locked.identifier).join(", ");
    throw new ManagerFault("package-unknown", `${identifier} is not in ${file}. It contains: ${there}.`, {
      identifier,
    });
  });
}

async function prepareBundled(
  context: Context,
  bundle: BundleReader,
  listed: ReadonlyMap<string, Package>,
  locked: LockedPackage,
  file: string,
  { force }: BundleOptions,
): Promise<Prepared> {
  const { identifier, sha256, size, url, repository } = locked;
  const what = `${identifier} ${versionKey(locked)}`;
  const refuse = (why: string) =>
    new ManagerFault("bundle-invalid", `${what} in ${file} ${why}. Nothing was changed. Create the bundle again.`, {
      identifier,
    });
  const about = listed.get(identifier);
  const version = about?.versions.find((candidate) => isSameVersion(candidate, locked));
  if (!about || !version || version.download_sha256 !== sha256 || version.download_size !== size) {
    throw refuse("does not match its lock file");
  }
  const why = whyIncompatible(version, about.type, context.tool);
  if (why !== undefined && !force) {
    throw new ManagerFault("not-compatible", `${what} does not work here: it ${why}. Leave it out, or force it.`, {
      identifier,
    });
  }
  const folder = join(context.root, ".backplane", "cache", "bundles");
  const place = archivePlace(locked, sha256);
  const extracted = await bundle.extract(place, folder, Math.min(size, context.transport.limits.maxArchiveBytes));
  if (!extracted) throw refuse("has no archive");
  try {
    if (extracted.sha256 !== sha256 || extracted.size !== size) throw refuse("has an archive with different content");
    await context.archives.add(extracted.file, sha256);
  } finally {
    await rm(extracted.file, { force: true });
  }
  const held = await context.archives.held(sha256);
  if (!held) throw refuse("could not be stored: the archive cache is full");
  try {
    const archive = await inspectHeld(context, held, what);
    const own = { ...version, download_url: url };
    const dispose = () => held[Symbol.asyncDispose]();
    const home = { id: repository.id, name: repository.name };
    return {
      package: { ...about, versions: [own] },
      version: own,
      held,
      archive,
      repository: home,
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await held[Symbol.asyncDispose]();
    throw error;
  }
}

/** More than any bundle has. */
const MAX_ENTRIES = 200_000;

/** The entries of a bundle by name. Names in the bundle are never used as file names. */
type BundleReader = Disposable & {
  /** Undefined: there is none. */
  read(name: string, maxBytes: number): Promise<Buffer | undefined>;
  /** Extracts to a new file in `folder`. */
  extract(
    name: string,
    folder: string,
    maxBytes: number,
  ): Promise<{ file: string; sha256: string; size: number } | undefined>;
};

export async function openBundle(file: string): Promise<BundleReader> {
  const refuse = (why: string, cause?: unknown) =>
    new ManagerFault(
      "bundle-invalid",
      `${file} is not a bundle: ${why}. Nothing was changed. Create it again.`,
      {},
      { cause },
    );
  let zip: ZipFile;
  try {
    zip = await openPromise(file, { autoClose: false, validateEntrySizes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      throw new ManagerFault("bad-file", `${file} does not exist. Check the path.`);
    }
    throw refuse("it is not a zip file, or it is cut off", error);
  }
  const entries = new Map<string, Entry>();
  try {
    if (zip.entryCount > MAX_ENTRIES) throw refuse("it has too many entries");
    for await (const entry of zip.eachEntry()) {
      const name = String(entry.fileName);
      if (entries.has(name)) throw refuse(`it contains ${name} twice`);
      entries.set(name, entry);
    }
  } catch (error) {
    zip.close();
    throw error instanceof ManagerFault ? error : refuse("its list of entries cannot be read", error);
  }
  const open = async (name: string, maxBytes: number) => {
    const entry = entries.get(name);
    if (!entry) return undefined;
    if (entry.uncompressedSize > maxBytes) throw refuse(`${name} has more than ${maxBytes} bytes`);
    return await zip.openReadStreamPromise(entry).catch((error: unknown) => {
      throw refuse(`${name} cannot be read`, error);
    });
  };
  return {
    read: async (name, maxBytes) => {
      const stream = await open(name, maxBytes);
      if (!stream) return undefined;
      const pieces: Buffer[] = [];
      try {
        for await (const piece of stream) pieces.push(piece as Buffer);
      } catch (error) {
        throw refuse(`${name} cannot be read`, error);
      }
      return Buffer.concat(pieces);
    },
    extract: async (name, folder, maxBytes) => {
      const stream = await open(name, maxBytes);
      if (!stream) return undefined;
      await mkdir(folder, { recursive: true });
      const target = join(folder, `${process.pid}-${randomUUID()}.zip`);
      const hash = createHash("sha256");
      let size = 0;
      stream.on("data", (piece: Buffer) => {
        hash.update(piece);
        size += piece.length;
      });
      try {
        await pipeline(stream, createWriteStream(target, { flags: "wx" }));
      } catch (error) {
        throw refuse(`${name} cannot be read`, error);
      }
      return { file: target, sha256: hash.digest("hex"), size };
    },
    [Symbol.dispose]: () => zip.close(),
  };
}
