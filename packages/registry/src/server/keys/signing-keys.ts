import { REGISTRY_LIMITS } from "@backplane/contract/registry";
import { type Database, isUniqueViolation } from "@backplane/kit/database";
import type { Selectable } from "kysely";
import { newSigningKey, type PublicKey, publicKeyOf, type SigningKey } from "../../signing/keys.ts";
import type { RegistryTables } from "../tables.ts";
import { countKeys } from "./index-state.ts";

export type KeyRow = Selectable<RegistryTables["registry_keys"]>;

/** How long a replaced key keeps signing, for clients that do not visit often. */
const RETIRED_SIGNS_MS = 90 * 24 * 3_600 * 1_000;
/** Together with the current and next key, within the limit of clients. */
const MAX_RETIRED_SIGNING = 4;

/** Creates the first key; if several instances start together, the unique index picks one. */
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
 * Creates the next key. From now on both keys sign and are announced, so clients that visit before the promotion already
 * trust it. False if there is one already.
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

export type Promotion = "promoted" | "no-next-key" | { readyAtMs: number };

/** Replaces the current key by the next one, once that was announced for long enough. */
export async function promoteNextKey({ durable }: Database<RegistryTables>, nowMs: number): Promise<Promotion> {
  const next = await durable
    .selectFrom("registry_keys")
    .select(["id", "created_at_ms"])
    .where("state", "=", "next")
    .executeTakeFirst();
  if (!next) return "no-next-key";
  const readyAtMs = readyAt(next);
  if (nowMs < readyAtMs) return { readyAtMs };
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
    return "promoted";
  } catch (error) {
    if (error instanceof AlreadyPromoted) return "no-next-key";
    throw error;
  }
}

/** When the next key may replace the current one. */
export const readyAt = ({ created_at_ms }: Pick<KeyRow, "created_at_ms">): number =>
  created_at_ms + REGISTRY_LIMITS.announceKeyMs;

/** Ends the transaction, because another call was first. */
class AlreadyPromoted extends Error {}

/**
 * The keys that sign a statement at this time, and the keys it announces. A replaced key keeps signing for a while but is
 * not announced: clients that trust it learn the new key.
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
