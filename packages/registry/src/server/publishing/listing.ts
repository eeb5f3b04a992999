import type { Status } from "@backplane/contract/registry";
import { type Database, isUniqueViolation } from "@backplane/kit/database";
import type { Insertable, Transaction } from "kysely";
import { compareVersions, type VersionNumber } from "../../versions/version-numbers.ts";
import type { RegistryTables } from "../tables.ts";
import { exceeds, type RegistryQuota, readUsage } from "./usage.ts";

type PackageRow = Insertable<RegistryTables["registry_packages"]>;
type VersionRow = Insertable<RegistryTables["registry_versions"]>;

export type NewVersion = { package: PackageRow; version: VersionRow };

/** "other-spelling": it is listed with different case. "given-up": its archive already counts as an orphan. */
type Added = "added" | "version-exists" | "not-yours" | "other-spelling" | "given-up" | "quota-reached";

/**
 * Lists a version, and its package if it is the first one. The primary keys decide races: exactly one caller adds a
 * version, and exactly one first publisher owns the identifier.
 */
export async function addVersion(
  database: Database<RegistryTables>,
  added: NewVersion,
  mayAct: (ownerId: string) => Promise<boolean>,
  quota: RegistryQuota,
): Promise<Added> {
  for (;;) {
    const listed = await database.durable
      .selectFrom("registry_packages")
      .select("owner_id")
      .where("identifier_key", "=", added.package.identifier_key)
      .executeTakeFirst();
    if (listed && !(await mayAct(listed.owner_id))) return "not-yours";
    const outcome = await insertVersion(database, added, listed?.owner_id ?? added.package.owner_id, quota);
    // Somebody else listed the package first: check again whether this user may publish for its owner.
    if (outcome !== "other-owner") return outcome;
  }
}

async function insertVersion(
  { durable }: Database<RegistryTables>,
  { package: pkg, version }: NewVersion,
  ownerId: string,
  quota: RegistryQuota,
): Promise<Added | "other-owner"> {
  const { identifier_key, identifier, metadata, icon, updated_at_ms } = pkg;
  try {
    return await durable.transaction().execute(async (transaction) => {
      // Locks the row until the end, so that changes of the list wait for each other here.
      await countChange(transaction, version.published_at_ms);
      await takeUpload(transaction, version.blob_key);
      const before = await transaction
        .selectFrom("registry_packages")
        .select("icon")
        .where("identifier_key", "=", identifier_key)
        .executeTakeFirst();
      await transaction
        .insertInto("registry_packages")
        .values(pkg)
        .onConflict((conflict) => conflict.column("identifier_key").doNothing())
        .execute();
      const listed = await transaction
        .selectFrom("registry_packages")
        .select(["owner_id", "identifier"])
        .where("identifier_key", "=", identifier_key)
        .executeTakeFirstOrThrow();
      if (listed.owner_id !== ownerId) throw new Undone("other-owner");
      if (listed.identifier !== identifier) throw new Undone("other-spelling");
      const isLatest = await isLaterThanAll(transaction, version);
      await transaction.insertInto("registry_versions").values(version).execute();
      // Nobody else lists anything until this transaction ends, so what is counted here stays true.
      if (exceeds(await readUsage(transaction, ownerId), quota)) throw new Undone("quota-reached");
      if (isLatest) {
        await transaction
          .updateTable("registry_packages")
          .set({ metadata, icon, updated_at_ms })
          .where("identifier_key", "=", identifier_key)
          .execute();
      }
      await stamp(transaction, "manifests_timestamp");
      if (isLatest && !isSame(before?.icon, icon)) await stamp(transaction, "resources_timestamp");
      await markChanged(transaction, identifier_key);
      return "added" as const;
    });
  } catch (error) {
    if (error instanceof Undone) return error.outcome;
    if (isUniqueViolation(error)) return "version-exists";
    throw error;
  }
}

/** Rolls the transaction back. */
class Undone extends Error {
  readonly outcome: "other-owner" | "other-spelling" | "given-up" | "quota-reached";
  constructor(outcome: Undone["outcome"]) {
    super(outcome);
    this.outcome = outcome;
  }
}

/** False if there is no such version. */
export async function changeStatus(
  { durable }: Database<RegistryTables>,
  {
    identifier_key,
    number,
    status,
    nowMs,
  }: { identifier_key: string; number: VersionNumber; status: Status; nowMs: number },
): Promise<boolean> {
  const [epoch, major, minor, patch] = number;
  return durable.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable("registry_versions")
      .set({ status })
      .where((row) => row.and({ identifier_key, epoch, major, minor, patch }))
      .where("status", "!=", status)
      .where("unpublished_at_ms", "is", null)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) {
      await countChange(transaction, nowMs);
      await markChanged(transaction, identifier_key);
      return true;
    }
    const same = await transaction
      .selectFrom("registry_versions")
      .select("status")
      .where((row) => row.and({ identifier_key, epoch, major, minor, patch }))
      .where("unpublished_at_ms", "is", null)
      .executeTakeFirst();
    return same !== undefined;
  });
}

export async function changeVisibility(
  { durable }: Database<RegistryTables>,
  { identifier_key, isPrivate, nowMs }: { identifier_key: string; isPrivate: boolean; nowMs: number },
): Promise<void> {
  await durable.transaction().execute(async (transaction) => {
    await countChange(transaction, nowMs);
    await transaction
      .updateTable("registry_packages")
      .set({ is_private: isPrivate ? 1 : 0 })
      .where("identifier_key", "=", identifier_key)
      .execute();
    await stamp(transaction, "manifests_timestamp");
    await stamp(transaction, "resources_timestamp");
    await markChanged(transaction, identifier_key);
  });
}

/** The archive to remove. Exactly one caller gets it; undefined if there is no such version, or no longer. */
export async function unpublishVersion(
  { durable }: Database<RegistryTables>,
  {
    identifier_key,
    number: [epoch, major, minor, patch],
    reason,
    userId,
    nowMs,
  }: { identifier_key: string; number: VersionNumber; reason: string; userId: string; nowMs: number },
): Promise<string | undefined> {
  return durable.transaction().execute(async (transaction) => {
    const gone = await transaction
      .updateTable("registry_versions")
      .set({
        ...{ unpublished_at_ms: nowMs, unpublished_by: userId, unpublished_reason: reason },
        // What no longer exists counts for no quota.
        ...{ size: 0, install_size: 0, file_count: 0, manifest: "", manifest_sha256: "", manifest_size: 0 },
        screenshots: null,
        panel: null,
      })
      .where((row) => row.and({ identifier_key, epoch, major, minor, patch }))
      .where("unpublished_at_ms", "is", null)
      .returning("blob_key")
      .executeTakeFirst();
    if (!gone) return undefined;
    await countChange(transaction, nowMs);
    await stamp(transaction, "manifests_timestamp");
    await markChanged(transaction, identifier_key);
    // As an orphan of long ago: if this process ends before it has removed the bytes, the sweeper does it.
    await transaction
      .insertInto("registry_uploads")
      .values({ blob_key: gone.blob_key, since_ms: 0, is_given_up: 1 })
      .execute();
    return gone.blob_key;
  });
}

/** The timestamp always grows, because clients download again only when it differs. */
async function countChange(transaction: Transaction<RegistryTables>, nowMs: number): Promise<void> {
  const nowS = Math.floor(nowMs / 1_000);
  await transaction
    .updateTable("registry_state")
    .set((row) => ({
      revision: row("revision", "+", 1),
      issued_at_s: nowS,
      update_timestamp: row
        .case()
        .when("update_timestamp", "<", nowS)
        .then(nowS)
        .else(row("update_timestamp", "+", 1))
        .end(),
    }))
    .where("id", "=", 1)
    .execute();
}

/** This file changes; call it in the transaction that counted the change. */
async function stamp(
  transaction: Transaction<RegistryTables>,
  file: "resources_timestamp" | "manifests_timestamp",
): Promise<void> {
  await transaction
    .updateTable("registry_state")
    .set((row) => ({ [file]: row.ref("update_timestamp") }))
    .where("id", "=", 1)
    .execute();
}

const isSame = (a: Uint8Array | null | undefined, b: Uint8Array | null | undefined): boolean =>
  a && b ? Buffer.compare(a, b) === 0 : !a === !b;

/** From now on the archive is not an orphan. One that the sweeper gave up cannot be listed: its bytes may be gone. */
async function takeUpload(transaction: Transaction<RegistryTables>, blobKey: string): Promise<void> {
  const { numDeletedRows } = await transaction
    .deleteFrom("registry_uploads")
    .where("blob_key", "=", blobKey)
    .where("is_given_up", "=", 0)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw new Undone("given-up");
}

/** Instances that know an earlier revision only read packages with a later one. */
async function markChanged(transaction: Transaction<RegistryTables>, identifierKey: string): Promise<void> {
  await transaction
    .updateTable("registry_packages")
    .set((row) => ({
      revision: row.selectFrom("registry_state").select("registry_state.revision").where("id", "=", 1),
    }))
    .where("identifier_key", "=", identifierKey)
    .execute();
}

async function isLaterThanAll(transaction: Transaction<RegistryTables>, version: VersionRow): Promise<boolean> {
  const rows = await transaction
    .selectFrom("registry_versions")
    .select(["epoch", "major", "minor", "patch"])
    .where("identifier_key", "=", version.identifier_key)
    .execute();
  const number: VersionNumber = [version.epoch, version.major, version.minor, version.patch];
  return rows.every((row) => compareVersions(number, [row.epoch, row.major, row.minor, row.patch]) > 0);
}
