import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Package } from "@backplane/contract/registry";
import { type Database, migrate, openDatabase } from "@backplane/kit/database";
import { migrations, type RegistryTables } from "@backplane/registry";
import { readVersion } from "../../packages/registry/src/versions/version-numbers.ts";
import { packagesText } from "./validate-packages.ts";

const AT_ONCE = 100;

/** A folder whose tables list this many packages; disposing removes it. */
export async function seedFolder(count: number): Promise<{ folder: string } & AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), "backplane-seeded-"));
  const database = await openDatabase<RegistryTables>({ url: undefined, home: folder, onLostConnection: () => {} });
  await migrate(database as Database<unknown>, migrations, Date.now);
  await seed(database, count);
  await database.close();
  return { folder, [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }) };
}

/** As if they had been published. */
async function seed({ durable }: Database<RegistryTables>, count: number): Promise<void> {
  const { packages } = JSON.parse(packagesText(count, "tool")) as { packages: Package[] };
  await durable.transaction().execute(async (transaction) => {
    for (let from = 0; from < packages.length; from += AT_ONCE) {
      const batch = packages.slice(from, from + AT_ONCE);
      await transaction.insertInto("registry_packages").values(batch.map(packageRow)).execute();
      await transaction.insertInto("registry_versions").values(batch.flatMap(versionRows)).execute();
    }
  });
}

const packageRow = (pkg: Package) => ({
  identifier_key: pkg.identifier.toLowerCase(),
  identifier: pkg.identifier,
  owner_id: "owner",
  metadata: JSON.stringify({ ...pkg, versions: [] }),
  icon: null,
  created_at_ms: 1,
  updated_at_ms: 1,
});

function versionRows({ identifier, versions }: Package) {
  return versions.map(({ status, download_url: _, ...version }) => {
    const [epoch, major, minor, patch] = readVersion(version.version, version.version_epoch) ?? [0, 0, 0, 0];
    const name = `${identifier}/${version.version}`;
    return {
      ...{ identifier_key: identifier.toLowerCase(), epoch, major, minor, patch, status },
      metadata: JSON.stringify(version),
      blob_key: `archives/${name}`,
      sha256: version.download_sha256 ?? "",
      size: version.download_size ?? 0,
      install_size: version.install_size ?? 0,
      file_count: 1,
      manifest: "{}",
      manifest_sha256: createHash("sha256").update(name).digest("hex"),
      manifest_size: 2,
      published_by: "owner",
      published_at_ms: 1,
      downloads: 0,
    };
  });
}
