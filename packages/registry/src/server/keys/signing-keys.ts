import { type Database, isUniqueViolation } from "@backplane/kit/database";
import type { Selectable } from "kysely";
import { newSigningKey, type PublicKey, publicKeyOf, type SigningKey } from "../../signing/keys.ts";
import type { RegistryTables } from "../tables.ts";
import { countKeys } from "./index-state.ts";

export type KeyRow = Selectable<RegistryTables["registry_keys"]>;

/** So long a key signs on after it was replaced: for clients that do not visit often. */
const RETIRED_SIGNS_MS = 90 * 24 * 3_600 * 1_000;
/** With current and next within what a client reads. */
const MAX_RETIRED_SIGNING = 4;

/** Makes the first key; the unique index decides between instances that start together. */
export async function ensureKey({ durable }: Database<RegistryTables>, nowMs: number): Promise<void> {
  const current = await durable
    .selectFrom("registry_keys")
    .select("id")
    .where("state", "=", "current")
    .executeTakeFirst();
  if (current) return;
  try {
    await durable
      .insertInto("registry_keys")
      .values(rowOf(newSigningKey(), "current", nowMs))
      .execute();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
  }
}

/**
 * Makes the key that comes next. From now on both sign and both are announced, so whoever visits meanwhile already
 * believes it when it becomes the only one. False: one was made before; nothing happens.
 */
export async function addNextKey({ durable }: Database<RegistryTables>, nowMs: number): Promise<boolean> {
  try {
    return await durable.transaction().execute(async (transaction) => {
      await countKeys(transaction, nowMs);
      await transaction
        .insertInto("registry_keys")
        .values(rowOf(newSigningKey(), "next", nowMs))
        .execute();
      return true;
    });
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

/** The next key takes the current one's place. False: there is no next one. */
export async function promoteNextKey({ durable }: Database<RegistryTables>, nowMs: number): Promise<boolean> {
  const next = await durable.selectFrom("registry_keys").select("id").where("state", "=", "next").executeTakeFirst();
  if (!next) return false;
  try {
    await durable.transaction().execute(async (transaction) => {
      await countKeys(transaction, nowMs);
      await transaction
        .updateTable("registry_keys")
        .set({ state: "retired", retired_at_ms: nowMs })
        .where("state", "=", "current")
        .execute();
      const { numUpdatedRows } = await transaction
        .updateTable("registry_keys")
        .set({ state: "current" })
        .where("id", "=", next.id)
        .where("state", "=", "next")
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw new AlreadyPromoted();
    });
    return true;
  } catch (error) {
    if (error instanceof AlreadyPromoted) return false;
    throw error;
  }
}

/** Ends the transaction: somebody else was first. */
class AlreadyPromoted extends Error {}

/**
 * Who signs a statement of this time, and whom it says to believe. A key that was replaced signs on for a while but is
 * no longer announced: whoever believed it is led to the new one.
 */
export function keysOfStatement(
  rows: readonly KeyRow[],
  issuedAtS: number,
): { signing: SigningKey[]; announced: PublicKey[] } {
  const ordered = rows.toSorted((a, b) => b.created_at_ms - a.created_at_ms || (a.id < b.id ? -1 : 1));
  const inState = (state: KeyRow["state"]) => ordered.filter((row) => row.state === state);
  const announced = [...inState("current"), ...inState("next")];
  const retired = inState("retired")
    .filter(({ retired_at_ms }) => (retired_at_ms ?? 0) + RETIRED_SIGNS_MS > issuedAtS * 1_000)
    .slice(0, MAX_RETIRED_SIGNING);
  return {
    signing: [...announced, ...retired].map(keyOf),
    announced: announced.map((row) => publicKeyOf(keyOf(row))),
  };
}

const keyOf = ({ id, public_key, private_key }: KeyRow): SigningKey => ({
  id,
  key: public_key,
  privateKey: private_key,
});

const rowOf = ({ id, key, privateKey }: SigningKey, state: KeyRow["state"], nowMs: number): KeyRow => ({
  id,
  public_key: key,
  private_key: privateKey,
  state,
  created_at_ms: nowMs,
  retired_at_ms: null,
});
