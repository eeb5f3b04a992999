import type { ChangeUser, User } from "@backplane/contract/accounts";
import type { Caller } from "@backplane/kit/callers";
import { type Database, isUniqueViolation } from "@backplane/kit/database";
import type { AccountTables } from "../tables.ts";
import { emailTaken } from "../users/names.ts";

/** What GET /user answers to this caller. */
export type DescribeUser = (caller: Pick<Caller, "userId" | "credentialId" | "kind">) => Promise<User>;

/** Changes what is given and leaves the rest. The name stays: addresses of workspaces and packages hold it. */
export async function changeUser(
  { durable }: Database<AccountTables>,
  userId: string,
  { display_name, email }: ChangeUser,
): Promise<void> {
  const changes = {
    ...(display_name === undefined ? {} : { display_name: display_name.trim() }),
    ...(email === undefined ? {} : { email }),
  };
  if (Object.keys(changes).length === 0) return;
  try {
    await durable.updateTable("users").set(changes).where("id", "=", userId).execute();
  } catch (error) {
    // The address is the only one of the two that must be unique.
    throw isUniqueViolation(error) ? emailTaken() : error;
  }
}
