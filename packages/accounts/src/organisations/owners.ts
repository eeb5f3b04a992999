import { NAME_PATTERN } from "@backplane/contract/accounts";
import type { Owners, OwnersRemoved } from "@backplane/kit/callers";
import { type Database, prepare } from "@backplane/kit/database";
import type { Transaction } from "kysely";
import type { AccountTables } from "../tables.ts";
import { foldName } from "../users/names.ts";

/** In the transaction that removes the owner, so that it is never forgotten what is left to delete. */
export async function noteRemoved(
  transaction: Transaction<AccountTables>,
  ownerId: string,
  nowMs: number,
): Promise<void> {
  await transaction.insertInto("removed_owners").values({ id: ownerId, removed_at_ms: nowMs }).execute();
}

const NAME = new RegExp(NAME_PATTERN, "u");

export function openOwners({ durable }: Database<AccountTables>): Owners & { removed: OwnersRemoved } {
  const listeners: OwnersRemoved[] = [];
  /** The names this person may act for: their own and those of their organisations. */
  const ownedBy = (userId: string) =>
    durable
      .selectFrom("owner_names")
      .leftJoin("memberships", (join) =>
        join
          .onRef("memberships.organisation_id", "=", "owner_names.organisation_id")
          .on("memberships.user_id", "=", userId),
      )
      .select(["owner_names.user_id", "owner_names.organisation_id"])
      .where((row) => row.or([row("owner_names.user_id", "=", userId), row("memberships.user_id", "is not", null)]));

  // Nearly every call about a workspace or a package begins with it.
  const readOwned = prepare(({ userId, name }: { userId: string; name: string }) =>
    ownedBy(userId).where("owner_names.name", "=", name),
  );

  const nameOf = async (ownerId: string): Promise<string | undefined> => {
    const person = durable.selectFrom("users").select("name").where("id", "=", ownerId);
    const organisation = durable.selectFrom("organisations").select("name").where("id", "=", ownerId);
    return (await person.unionAll(organisation).executeTakeFirst())?.name;
  };

  const withName = async (name: string) => {
    if (!NAME.test(name)) return undefined;
    const named = durable.selectFrom("owner_names").where("name", "=", foldName(name));
    return named.select(["user_id", "organisation_id"]).executeTakeFirst();
  };

  const isInstanceOwner = async (userId: string): Promise<boolean> =>
    (await durable
      .selectFrom("users")
      .select("id")
      .where("id", "=", userId)
      .where("is_owner", "=", 1)
      .executeTakeFirst()) !== undefined;

  return {
    async resolve(userId, ownerName) {
      if (!NAME.test(ownerName)) return undefined;
      const [found] = (await readOwned(durable, { userId, name: foldName(ownerName) })).rows;
      return found?.user_id ?? found?.organisation_id ?? undefined;
    },
    async mayAct(userId, ownerId) {
      const found = await ownedBy(userId)
        .where((row) =>
          row.or([row("owner_names.user_id", "=", ownerId), row("owner_names.organisation_id", "=", ownerId)]),
        )
        .executeTakeFirst();
      if (found) return true;
      return (await nameOf(ownerId)) === undefined && (await isInstanceOwner(userId));
    },
    async mayManage(userId, ownerId) {
      if (userId === ownerId) return true;
      const own = durable.selectFrom("memberships").select("role").where("user_id", "=", userId);
      return (await own.where("organisation_id", "=", ownerId).executeTakeFirst())?.role === "owner";
    },
    nameOf,
    async listFor(userId) {
      const rows = await ownedBy(userId).execute();
      const ids = rows.flatMap(({ user_id, organisation_id }) => user_id ?? organisation_id ?? []);
      const named = await Promise.all(ids.map(async (id) => ({ id, name: await nameOf(id) })));
      return named
        .filter((owner): owner is { id: string; name: string } => owner.name !== undefined)
        .sort((a, b) => Number(b.id === userId) - Number(a.id === userId) || (a.name < b.name ? -1 : 1));
    },
    async idOf(ownerName) {
      const found = await withName(ownerName);
      return found?.user_id ?? found?.organisation_id ?? undefined;
    },
    personNamed: async (name) => (await withName(name))?.user_id ?? undefined,
    async listRemoved() {
      return (await durable.selectFrom("removed_owners").select("id").execute()).map(({ id }) => id);
    },
    onRemoved: (listener) => void listeners.push(listener),
    async removed(ownerIds) {
      for (const listener of listeners) await listener(ownerIds);
    },
  };
}
