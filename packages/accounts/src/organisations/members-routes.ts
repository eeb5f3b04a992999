import { NAME_PATTERN, Organisation, SetMember } from "@backplane/contract/accounts";
import type { WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import type { App } from "@backplane/kit/http";
import { Type } from "typebox";
import { CHANGING, requireBrowser } from "../callers/access.ts";
import type { AccountTables } from "../tables.ts";
import { removeMember, setMember } from "./members.ts";
import { readOrganisations } from "./read.ts";
import { refusal } from "./refusal.ts";

export type MemberRoutes = {
  database: Database<AccountTables>;
  whoIsCalling: WhoIsCalling;
  now: Clock;
};

const tags = ["organisations"];
const params = Type.Object({
  name: Type.String({ pattern: NAME_PATTERN }),
  user: Type.String({ pattern: NAME_PATTERN }),
});

export function serveMembers(app: App, { database, whoIsCalling, now }: MemberRoutes): void {
  app.put(
    "/auth/organisations/:name/members/:user",
    {
      ...CHANGING,
      schema: {
        tags,
        summary: "Put somebody into an organisation you own, or change their role",
        params,
        body: SetMember,
        response: { 200: Organisation },
      },
    },
    async (request) => {
      const { userId } = await requireBrowser(whoIsCalling, request);
      const change = { byUserId: userId, organisation: request.params.name, member: request.params.user };
      const outcome = await setMember(database, change, request.body.role, now());
      if (outcome !== "set") throw refusal(outcome);
      const [organisation] = await readOrganisations(database, userId, request.params.name);
      if (!organisation) throw refusal("unknown-organisation");
      return organisation;
    },
  );

  app.delete(
    "/auth/organisations/:name/members/:user",
    {
      ...CHANGING,
      schema: {
        tags,
        summary: "Take somebody out of an organisation you own, or leave one",
        params,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { userId } = await requireBrowser(whoIsCalling, request);
      const change = { byUserId: userId, organisation: request.params.name, member: request.params.user };
      const outcome = await removeMember(database, change);
      if (outcome !== "removed") throw refusal(outcome);
      return reply.code(204).send(null);
    },
  );
}
