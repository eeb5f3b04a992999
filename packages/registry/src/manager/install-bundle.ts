import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Package } from "@backplane/contract/registry";
import { archivePlace } from "../repository/building/places.ts";
import { whyIncompatible } from "../versions/compatible.ts";
import { versionKey } from "../versions/version-key.ts";
import { BUNDLE_LOCK } from "./bundle.ts";
import { type BundleReader, openBundle } from "./bundle-reader.ts";
import type { Context } from "./context.ts";
import { isSameVersion } from "./find-package.ts";
import { installPrepared } from "./install-prepared.ts";
import { readLockText } from "./lock-file.ts";
import { ManagerFault } from "./manager-fault.ts";
import type { LockedPackage, Outcome } from "./manager-types.ts";
import { inspectHeld, type Prepared } from "./prepare.ts";
import { checkRepository } from "./repositories/fetch-list.ts";
import { readList } from "./repositories/read-list.ts";

export type BundleOptions = {
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
  throw new ManagerFault("bundle-invalid", `${file} is no bundle: ${name} is missing. Make it again.`);
}

/** The same rules as for a repository that is fetched. */
async function readListed(context: Context, bundle: BundleReader, file: string): Promise<ReadonlyMap<string, Package>> {
  const { limits } = context.transport;
  const text = (await must(bundle, "repository.json", limits.maxRepositoryBytes, file)).toString("utf8");
  const { repository } = checkRepository(text, { id: "", name: file, url: "file:///repository.json" });
  const bytes = await must(bundle, "packages.json", limits.maxPackagesBytes, file);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  if (repository.packages.sha256 !== sha256) {
    throw new ManagerFault(
      "bundle-invalid",
      `packages.json in ${file} is not the one that its repository.json names. Nothing was changed. Make it again.`,
      { expected: repository.packages.sha256, actual: sha256 },
    );
  }
  return readList(bytes.toString("utf8"), context.brand, `packages.json in ${file}`, true).packages;
}

function pick(packages: readonly LockedPackage[], identifiers: readonly string[], file: string): LockedPackage[] {
  return identifiers.map((identifier) => {
    const found = packages.find((locked) => locked.identifier === identifier);
    if (found) return found;
    const there = packages.map((locked) => locked.identifier).join(", ");
    throw new ManagerFault("package-unknown", `${identifier} is not in ${file}. There are: ${there}.`, { identifier });
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
    new ManagerFault("bundle-invalid", `${what} in ${file} ${why}. Nothing was changed. Make the bundle again.`, {
      identifier,
    });
  const about = listed.get(identifier);
  const version = about?.versions.find((candidate) => isSameVersion(candidate, locked));
  if (!about || !version || version.download_sha256 !== sha256 || version.download_size !== size) {
    throw refuse("is not listed as its lock file says");
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
    if (extracted.sha256 !== sha256 || extracted.size !== size) throw refuse("has an archive with other bytes");
    await context.archives.add(extracted.file, sha256);
  } finally {
    await rm(extracted.file, { force: true });
  }
  const held = await context.archives.held(sha256);
  if (!held) throw refuse("could not be kept: the archive cache is full");
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
