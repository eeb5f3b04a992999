import type { Database } from "@backplane/kit/database";
import type { Kysely } from "kysely";
import { SIGNING_LIMITS } from "../../signing/signed-index.ts";
import type { RegistryTables } from "../tables.ts";

/**
 * The counter in a signed statement is the revision of this row, so every instance gives the same statement for the same
 * counter. Everything that changes the statement must raise the revision first.
 */

/** Raise it when the same rows would give a different packages.json than before. */
export const INDEX_FORMAT = 2;

/** Settings or the program may differ since the last start, so what is signed needs a new revision. */
export async function countStart(
  { durable }: Database<RegistryTables>,
  { baseUrl, nowMs }: { baseUrl: string; nowMs: number },
): Promise<void> {
  const edges = JSON.stringify([INDEX_FORMAT, baseUrl]);
  const nowS = Math.floor(nowMs / 1_000);
  await durable
    .updateTable("registry_state")
    .set((row) => {
      /** resources.zip contains no addresses, so it does not change. */
      const stampOf = (file: "update_timestamp" | "manifests_timestamp") =>
        row
          .case()
          .when("edges", "=", edges)
          .then(row.ref(file))
          .when("update_timestamp", "<", nowS)
          .then(nowS)
          .else(row("update_timestamp", "+", 1))
          .end();
      return {
        // Tables restored from a backup have an old revision, which clients would reject. The current time in seconds is
        // greater than every earlier revision, because there is less than one change per second.
        revision: row
          .case()
          .when("revision", "<", nowS)
          .then(nowS)
          .else(row("revision", "+", 1))
          .end(),
        issued_at_s: nowS,
        update_timestamp: stampOf("update_timestamp"),
        manifests_timestamp: stampOf("manifests_timestamp"),
        edges,
      };
    })
    .where("id", "=", 1)
    .execute();
}

/** Call when the keys change. */
export async function countKeys(transaction: Kysely<RegistryTables>, nowMs: number): Promise<void> {
  await transaction
    .updateTable("registry_state")
    .set((row) => ({ revision: row("revision", "+", 1), issued_at_s: Math.floor(nowMs / 1_000) }))
    .where("id", "=", 1)
    .execute();
}

export const isDueForRenewal = (issuedAtS: number, nowMs: number): boolean =>
  issuedAtS + SIGNING_LIMITS.renewAfterS <= Math.floor(nowMs / 1_000);

/** Renews a statement before it expires; of several instances exactly one does it. */
export async function renewStatement(
  { durable }: Database<RegistryTables>,
  seen: { revision: number; nowMs: number },
): Promise<void> {
  await durable
    .updateTable("registry_state")
    .set({ revision: seen.revision + 1, issued_at_s: Math.floor(seen.nowMs / 1_000) })
    .where("id", "=", 1)
    .where("revision", "=", seen.revision)
    .execute();
}
