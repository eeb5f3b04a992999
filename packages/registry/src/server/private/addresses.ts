import { randomUUID } from "node:crypto";
import { PRIVATE_LIMITS } from "@backplane/contract/registry";
import type { Database } from "@backplane/kit/database";
import { hashSecret, newSecret } from "@backplane/kit/secrets";
import type { Selectable } from "kysely";
import { Type } from "typebox";
import type { Owners } from "../owners.ts";
import type { RegistryTables } from "../tables.ts";

/** As `newSecret` makes them. */
export const SecretToken = Type.String({
  pattern: "^bpr_[A-Za-z0-9_-]{43}$",
  examples: ["bpr_V4nS0lpHq1rYw2Zt7uXbC9dEfGhIjKlMnOpQrStUvWx"],
});

export type AddressRow = Omit<Selectable<RegistryTables["registry_addresses"]>, "token_hash">;

type NewAddress = { ownerId: string; name: string; userId: string; nowMs: number };

/** The secret is returned once; the table has only its hash. */
export async function addAddress(
  { durable }: Database<RegistryTables>,
  { ownerId, name, userId, nowMs }: NewAddress,
): Promise<{ row: AddressRow; token: string } | "too-many"> {
  const token = newSecret("bpr_");
  const row = { id: randomUUID(), owner_id: ownerId, name, created_by: userId, created_at_ms: nowMs };
  return durable.transaction().execute(async (transaction) => {
    // Locks the row until the end, so that what is counted stays true.
    await transaction
      .updateTable("registry_state")
      .set((state) => ({ revision: state.ref("revision") }))
      .where("id", "=", 1)
      .execute();
    const { count } = await transaction
      .selectFrom("registry_addresses")
      .select(({ fn }) => fn.countAll<number | string>().as("count"))
      .where("owner_id", "=", ownerId)
      .executeTakeFirstOrThrow();
    if (Number(count) >= PRIVATE_LIMITS.maxAddresses) return "too-many";
    await transaction
      .insertInto("registry_addresses")
      .values({ ...row, token_hash: hashSecret(token) })
      .execute();
    return { row, token };
  });
}

const COLUMNS = ["id", "owner_id", "name", "created_by", "created_at_ms"] as const;

export const readAddresses = ({ durable }: Database<RegistryTables>, ownerId: string): Promise<AddressRow[]> =>
  durable
    .selectFrom("registry_addresses")
    .select(COLUMNS)
    .where("owner_id", "=", ownerId)
    .orderBy("created_at_ms", "desc")
    .orderBy("id")
    .execute();

export const findAddress = ({ durable }: Database<RegistryTables>, id: string): Promise<AddressRow | undefined> =>
  durable.selectFrom("registry_addresses").select(COLUMNS).where("id", "=", id).executeTakeFirst();

export async function removeAddress({ durable }: Database<RegistryTables>, id: string): Promise<void> {
  await durable.deleteFrom("registry_addresses").where("id", "=", id).execute();
}

/**
 * Whose private packages an address leads to. It ends with the right of the person who made it: when they leave the
 * organisation, or when their account or the organisation is removed.
 */
export async function ownerOfToken(
  { durable }: Database<RegistryTables>,
  owners: Pick<Owners, "mayAct">,
  token: string,
): Promise<string | undefined> {
  const row = await durable
    .selectFrom("registry_addresses")
    .select(["owner_id", "created_by"])
    .where("token_hash", "=", hashSecret(token))
    .executeTakeFirst();
  return row && (await owners.mayAct(row.created_by, row.owner_id)) ? row.owner_id : undefined;
}

/** Deletes those that have ended, so that they are neither shown nor counted. */
export async function removeEnded(
  database: Database<RegistryTables>,
  owners: Pick<Owners, "mayAct">,
  ownerId: string,
): Promise<void> {
  for (const { id, created_by } of await readAddresses(database, ownerId)) {
    if (!(await owners.mayAct(created_by, ownerId))) await removeAddress(database, id);
  }
}
