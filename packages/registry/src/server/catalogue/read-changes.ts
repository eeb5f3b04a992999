import { setImmediate as letOthersRun } from "node:timers/promises";
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
  /** Of the packages that changed, by identifier. */
  revisions: ReadonlyMap<string, number>;
  keys: KeyRow[];
};

/** Gets the rows of packages that changed, each with all its versions, a part at a time. */
export type TakeRows = (packages: readonly PackageRow[], versions: readonly VersionRow[]) => void;

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

/** Rows take several times as much memory as what is made of them, and other requests get their turn after each part. */
const PACKAGES_AT_ONCE = 200;

/** What changed after a revision, read in one transaction: a concurrent publication is seen completely or not at all. */
export async function readChanges(
  { durable }: Database<RegistryTables>,
  since: number,
  take: TakeRows,
): Promise<Changes> {
  return durable
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (transaction) => {
      const state = await transaction
        .selectFrom("registry_state")
        .selectAll()
        .where("id", "=", 1)
        .executeTakeFirstOrThrow();
      const changed = await transaction
        .selectFrom("registry_packages")
        .select(["identifier_key", "revision"])
        .where("revision", ">", since)
        .execute();
      const changedKeys = changed.map(({ identifier_key }) => identifier_key);
      for (let from = 0; from < changedKeys.length; from += PACKAGES_AT_ONCE) {
        if (from > 0) await letOthersRun();
        const part = changedKeys.slice(from, from + PACKAGES_AT_ONCE);
        const packages = await transaction
          .selectFrom("registry_packages")
          .selectAll()
          .where("identifier_key", "in", part)
          .execute();
        const versions = await transaction
          .selectFrom("registry_versions")
          .select([
            ...(["identifier_key", "epoch", "major", "minor", "patch", "status", "metadata", "blob_key"] as const),
            ...(["sha256", "size", "install_size", "file_count", "manifest_sha256", "manifest_size"] as const),
            ...(["published_by", "published_at_ms", "downloads", "screenshots", "panel"] as const),
            ...(["unpublished_at_ms", "unpublished_by", "unpublished_reason"] as const),
          ])
          .where("identifier_key", "in", part)
          .execute();
        take(packages, versions);
      }
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
        revisions: new Map(changed.map(({ identifier_key, revision }) => [identifier_key, revision])),
        keys,
      };
    });
}
