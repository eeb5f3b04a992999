import type { Settings } from "@backplane/kit/settings";
import type { Kysely } from "kysely";
import type { RegistryTables } from "../tables.ts";

export type RegistryQuota = Pick<Settings["quotas"], "archiveBytes" | "packages">;

/** What an owner has published. */
export type RegistryUsage = { packages: number; versions: number; archiveBytes: number };

export async function readUsage(db: Kysely<RegistryTables>, ownerId: string): Promise<RegistryUsage> {
  const row = await db
    .selectFrom("registry_packages")
    .innerJoin("registry_versions", "registry_versions.identifier_key", "registry_packages.identifier_key")
    .select(({ fn }) => [
      fn.count<number>("registry_packages.identifier_key").distinct().as("packages"),
      fn.countAll<number>().as("versions"),
      fn.sum<number | null>("registry_versions.size").as("archiveBytes"),
    ])
    .where("registry_packages.owner_id", "=", ownerId)
    .executeTakeFirstOrThrow();
  // PostgreSQL sums as text.
  return { packages: row.packages, versions: row.versions, archiveBytes: Number(row.archiveBytes ?? 0) };
}

/** What all owners have published together, and the owners with the most bytes and with the most packages. */
export type RegistryTotals = {
  archiveBytes: number;
  versions: number;
  byBytes: { ownerId: string; archiveBytes: number }[];
  byPackages: { ownerId: string; packages: number }[];
};

export async function readTotals(db: Kysely<RegistryTables>, maxOwners: number): Promise<RegistryTotals> {
  const [all, byBytes, byPackages] = await Promise.all([
    db
      .selectFrom("registry_versions")
      .select(({ fn }) => [fn.countAll<number>().as("versions"), fn.sum<number | null>("size").as("archiveBytes")])
      .executeTakeFirstOrThrow(),
    db
      .selectFrom("registry_packages")
      .innerJoin("registry_versions", "registry_versions.identifier_key", "registry_packages.identifier_key")
      .select(({ fn }) => ["owner_id as ownerId", fn.sum<number>("registry_versions.size").as("archiveBytes")])
      .groupBy("owner_id")
      .orderBy("archiveBytes", "desc")
      .limit(maxOwners)
      .execute(),
    db
      .selectFrom("registry_packages")
      .select(({ fn }) => ["owner_id as ownerId", fn.countAll<number>().as("packages")])
      .groupBy("owner_id")
      .orderBy("packages", "desc")
      .limit(maxOwners)
      .execute(),
  ]);
  return {
    archiveBytes: Number(all.archiveBytes ?? 0),
    versions: all.versions,
    byBytes: byBytes.map(({ ownerId, archiveBytes }) => ({ ownerId, archiveBytes: Number(archiveBytes) })),
    byPackages,
  };
}

export const exceeds = (usage: RegistryUsage, quota: RegistryQuota): boolean =>
  usage.archiveBytes > quota.archiveBytes || usage.packages > quota.packages;

export const quotaSentence = ({ archiveBytes, packages }: RegistryQuota): string =>
  `An owner has at most ${packages} packages, whose archives have at most ${Math.floor(archiveBytes / 1_048_576)} MB together. Publish for another owner, or ask the owner of this Backplane to raise QUOTA_PACKAGES or QUOTA_ARCHIVES.`;
