import type { Database } from "@backplane/kit/database";
import type { Kysely } from "kysely";
import { SIGNING_LIMITS } from "../../signing/signed-index.ts";
import type { RegistryTables } from "../tables.ts";

/**
 * The number that every signed statement carries is the row's revision, so whichever instance a client asks, it gets the
 * same statement for the same number. Whatever makes another statement counts here first.
 */

/** Raise it when the same rows would give other bytes of packages.json than before. */
const INDEX_FORMAT = 1;

/** A start may bring other settings or another program: what they sign then has another number. */
export async function countStart(
  { durable }: Database<RegistryTables>,
  { baseUrl, nowMs }: { baseUrl: string; nowMs: number },
): Promise<void> {
  const edges = JSON.stringify([INDEX_FORMAT, baseUrl]);
  const nowS = Math.floor(nowMs / 1_000);
  await durable
    .updateTable("registry_state")
    .set((row) => {
      /** Icons hold no address: resources.zip stays as it is. */
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
        // Tables that were restored from a backup have an old number, and clients refuse to go back: a number that is
        // at least the time is beyond all that were given, as there is less than one change a second.
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

/** The keys changed. */
export async function countKeys(transaction: Kysely<RegistryTables>, nowMs: number): Promise<void> {
  await transaction
    .updateTable("registry_state")
    .set((row) => ({ revision: row("revision", "+", 1), issued_at_s: Math.floor(nowMs / 1_000) }))
    .where("id", "=", 1)
    .execute();
}

export const isDueForRenewal = (issuedAtS: number, nowMs: number): boolean =>
  issuedAtS + SIGNING_LIMITS.renewAfterS <= Math.floor(nowMs / 1_000);

/** A statement that nobody replaced is issued anew before it expires; of several instances one does it. */
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
