import type { Database } from "@backplane/kit/database";
import type { Selectable } from "kysely";
import type { KeyRow } from "../keys/signing-keys.ts";
import type { RegistryTables } from "../tables.ts";

export type PackageRow = Selectable<RegistryTables["registry_packages"]>;
/** Without the manifest, which may be large and is read separately. */
export type VersionRow = Omit<Selectable<RegistryTables["registry_versions"]>, "manifest">;

export type Changes = {
  revision: number;
  updateTimestamp: number;
  resourcesTimestamp: number;
  manifestsTimestamp: number;
  issuedAtS: number;
  /** The number of unchanged packages and the sum of their revisions. If they differ from before, the tables were restored. */
  unchanged: { count: number; revisions: number };
  /** The packages that changed, and all their versions. */
  packages: PackageRow[];
  versions: VersionRow[];
  keys: KeyRow[];
};

/** Before every revision. */
export const NEVER = -1;

export async function readRevision({ durable }: Database<RegistryTables>): Promise<number> {
  const { revision } = await durable
    .selectFrom("registry_state")
    .select("revision")
    .where("id", "=", 1)
    .executeTakeFirstOrThrow();
  return revision;
}

/** What changed after a revision, read in one transaction: a concurrent publication is seen completely or not at all. */
export async function readChanges({ durable }: Database<RegistryTables>, since: number): Promise<Changes> {
  return durable
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (transaction) => {
      const state = await transaction
        .selectFrom("registry_state")
        .selectAll()
        .where("id", "=", 1)
        .executeTakeFirstOrThrow();
      const packages = await transaction
        .selectFrom("registry_packages")
        .selectAll()
        .where("revision", ">", since)
        .execute();
      const versions =
        packages.length === 0
          ? []
          : await transaction
              .selectFrom("registry_versions as version")
              .innerJoin("registry_packages as package", "package.identifier_key", "version.identifier_key")
              .select([
                ...(["version.identifier_key", "version.epoch", "version.major", "version.minor"] as const),
                ...(["version.patch", "version.status", "version.metadata", "version.blob_key"] as const),
                ...(["version.sha256", "version.size", "version.install_size", "version.file_count"] as const),
                ...(["version.manifest_sha256", "version.manifest_size", "version.published_by"] as const),
                ...(["version.published_at_ms", "version.downloads", "version.screenshots", "version.panel"] as const),
                ...(["version.unpublished_at_ms", "version.unpublished_by", "version.unpublished_reason"] as const),
              ])
              .where("package.revision", ">", since)
              .execute();
      const { count, revisions } = await transaction
        .selectFrom("registry_packages")
        .select(({ fn }) => [
          fn.countAll<number | string>().as("count"),
          fn.sum<number | string | null>("revision").as("revisions"),
        ])
        .where("revision", "<=", since)
        .executeTakeFirstOrThrow();
      const keys = await transaction.selectFrom("registry_keys").selectAll().execute();
      return {
        revision: state.revision,
        updateTimestamp: state.update_timestamp,
        resourcesTimestamp: state.resources_timestamp,
        manifestsTimestamp: state.manifests_timestamp,
        issuedAtS: state.issued_at_s,
        unchanged: { count: Number(count), revisions: Number(revisions) },
        ...{ packages, versions, keys },
      };
    });
}
