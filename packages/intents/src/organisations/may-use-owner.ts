import type { Database } from "@backplane/kit/database";
import { NAME_PATTERN } from "../accounts/contract.ts";
import type { AccountTables } from "../tables.ts";

/** Whether a person may act under a name: their own, or that of an organisation they are in. */
export type MayUseOwner = (userId: string, ownerName: string) => Promise<boolean>;

const NAME = new RegExp(NAME_PATTERN, "u");

/** What is no name at all is nobody's; it also never meets `toLowerCase`, which turns some foreign letters into ours. */
export const mayUseOwner =
  ({ durable }: Database<AccountTables>): MayUseOwner =>
  async (userId, ownerName) => {
    if (!NAME.test(ownerName)) return false;
    const found = await durable
      .selectFrom("owner_names")
      .leftJoin("memberships", (join) =>
        join
          .onRef("memberships.organisation_id", "=", "owner_names.organisation_id")
          .on("memberships.user_id", "=", userId),
      )
      .select("owner_names.name")
      .where("owner_names.name", "=", ownerName.toLowerCase())
      .where((row) => row.or([row("owner_names.user_id", "=", userId), row("memberships.user_id", "is not", null)]))
      .executeTakeFirst();
    return found !== undefined;
  };
