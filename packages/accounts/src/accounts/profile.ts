import { ChangeUser, User } from "@backplane/contract/accounts";
import type { WhoIsCalling } from "@backplane/kit/callers";
import { type Database, isUniqueViolation } from "@backplane/kit/database";
import type { App } from "@backplane/kit/http";
import { CHANGING, requireBrowser } from "../callers/access.ts";
import type { AccountTables } from "../tables.ts";
import type { DescribeUser } from "../users/describe-user.ts";
import { emailTaken } from "../users/names.ts";

/** Changes the given fields. The name cannot be changed: it is part of addresses of workspaces and packages. */
async function changeUser(
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
    // Of the two fields, only the email address must be unique.
    throw isUniqueViolation(error) ? emailTaken() : error;
  }
}

export type ProfileRoutes = {
  database: Database<AccountTables>;
  whoIsCalling: WhoIsCalling;
  describeUser: DescribeUser;
};

export function serveProfile(app: App, { database, whoIsCalling, describeUser }: ProfileRoutes): void {
  app.patch(
    "/user",
    {
      ...CHANGING,
      schema: {
        tags: ["accounts"],
        summary: "Change your display name or email address",
        access: "browser",
        problems: ["email-taken"],
        body: ChangeUser,
        response: { 200: User },
      },
    },
    async (request) => {
      const caller = await requireBrowser(whoIsCalling, request);
      await changeUser(database, caller.userId, request.body);
      return describeUser(caller);
    },
  );
}
