import { ChangeUser, User } from "@backplane/contract/accounts";
import type { WhoIsCalling } from "@backplane/kit/callers";
import type { Database } from "@backplane/kit/database";
import type { App } from "@backplane/kit/http";
import { CHANGING, requireBrowser } from "../callers/access.ts";
import type { AccountTables } from "../tables.ts";
import { changeUser, type DescribeUser } from "./profile.ts";

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
