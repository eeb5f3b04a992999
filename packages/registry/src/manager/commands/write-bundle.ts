import { randomUUID } from "node:crypto";
import { readFile, rename, rm } from "node:fs/promises";
import type { Package } from "@backplane/contract/registry";
import { openZipFile } from "../../archives/write-zip.ts";
import { archivePlace } from "../../repository/building/places.ts";
import { manifestOf } from "../../repository/manifests-json.ts";
import type { Context } from "../context.ts";
import { ManagerFault } from "../faults.ts";
import type { Bundled, Lock, LockedPackage } from "../manager-types.ts";
import { wantedArchive } from "../repositories/wanted-archive.ts";
import { readSpec } from "./find-package.ts";
import { chooseTarget } from "./install.ts";
import { type Prepared, prepare } from "./prepare.ts";
import { staticFiles } from "./static-repository.ts";

/** A reserved name that nobody can own (RFC 6761): in a bundle, addresses only name entries. */
const BUNDLE_URL = "https://bundle.invalid/";
/** A lock file: which archives, and where they came from. */
export const BUNDLE_LOCK = "lock.json";

type Packed = { prepared: Prepared; locked: LockedPackage };

export async function writeBundle(context: Context, specs: readonly string[], file: string): Promise<Bundled> {
  if (specs.length === 0) throw new ManagerFault("bad-spec", "Name at least one package for the bundle.");
  const lists = await context.lists.all();
  await using all = new AsyncDisposableStack();
  const packed = new Map<string, Packed>();
  for (const text of specs) {
    const target = chooseTarget(context, lists, readSpec(text), {});
    const { identifier } = target.package;
    if (packed.has(identifier)) throw new ManagerFault("bad-spec", `${identifier} is named twice.`, { identifier });
    const { id, name, url } = target.list;
    const wanted = wantedArchive(identifier, target.version, url);
    const prepared = all.use(await prepare(context, wanted, { ...target, repository: { id, name } }));
    packed.set(identifier, { prepared, locked: lockedOf(prepared, { id, name, url }, wanted.url) });
  }
  const entries = [...packed.values()];
  const bytes = await writeEntries(context, entries, file);
  return { file, bytes, packages: entries.map(({ locked }) => locked) };
}

function lockedOf(
  { package: { identifier }, version, held }: Prepared,
  repository: LockedPackage["repository"],
  url: string,
): LockedPackage {
  const { version: number, version_epoch } = version;
  return {
    identifier,
    version: number,
    ...(version_epoch ? { version_epoch } : {}),
    sha256: held.sha256,
    size: held.size,
    url,
    repository,
  };
}

/** Entry by entry, so that at most one archive is in memory. */
async function writeEntries(context: Context, packed: readonly Packed[], file: string): Promise<number> {
  const { maxBundleBytes: maxBytes } = context.transport.limits;
  const refuse = () => {
    throw new ManagerFault("too-large", `The bundle is larger than ${maxBytes} bytes. Create several smaller ones.`);
  };
  const half = `${file}.${randomUUID()}.half`;
  try {
    const size = await writeHalf(half);
    await rename(half, file);
    return size;
  } catch (error) {
    await rm(half, { force: true });
    throw error;
  }

  async function writeHalf(path: string): Promise<number> {
    await using zip = await openZipFile(path, { flags: "wx", maxBytes, refuse });
    for (const { prepared } of packed) {
      await zip.add({ path: placeOf(prepared), bytes: await readFile(prepared.held.file), store: true });
    }
    for (const { path, bytes } of filesBeside(context, packed)) await zip.add({ path, bytes });
    return await zip.finish();
  }
}

const placeOf = ({ package: { identifier }, version, held }: Prepared): string =>
  archivePlace({ identifier, ...version }, held.sha256);

function filesBeside({ brand, now }: Context, packed: readonly Packed[]) {
  const lock: Lock = { format: "backplane-lock-1", brand, packages: packed.map(({ locked }) => locked) };
  const nowS = Math.floor(now() / 1_000);
  const packages = packed.map(({ prepared }): Package => {
    const version = { ...prepared.version, download_url: BUNDLE_URL + placeOf(prepared) };
    return { ...prepared.package, versions: [version] };
  });
  const manifests = packed.map(({ prepared: { package: listed, version, archive } }) =>
    manifestOf(listed, version, archive.files),
  );
  const icons = packed.flatMap(
    ({
      prepared: {
        package: { identifier },
        archive,
      },
    }) => (archive.icon ? [[identifier, archive.icon] as const] : []),
  );
  const parts = { name: "Bundle", brand, baseUrl: BUNDLE_URL, packages, manifests, icons: new Map(icons) };
  return [
    { path: BUNDLE_LOCK, bytes: Buffer.from(`${JSON.stringify(lock, undefined, 2)}\n`) },
    ...staticFiles({ ...parts, updateTimestamp: nowS, nowS }),
  ];
}
