import { Account, NAME_PATTERN } from "@backplane/contract/accounts";
import type { WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { Type } from "typebox";
import { CHANGING, READING, requireInstanceOwner } from "../callers/access.ts";
import type { Callers } from "../callers/callers.ts";
import type { AccountTables } from "../tables.ts";
import { listPeople, removePerson } from "./people.ts";

export type PeopleRoutes = {
  database: Database<AccountTables>;
  whoIsCalling: WhoIsCalling;
  forget: Callers["forget"];
  now: Clock;
};

const tags = ["accounts"];

export function servePeople(app: App, { forget, now, ...access }: PeopleRoutes): void {
  app.get(
    "/auth/users",
    {
      ...READING,
      schema: {
        tags,
        summary: "Who has an account here, for the owner",
        response: { 200: Type.Object({ users: Type.Array(Account) }) },
      },
    },
    async (request) => {
      await requireInstanceOwner(access, request);
      return { users: await listPeople(access.database) };
    },
  );

  app.delete(
    "/auth/users/:name",
    {
      ...CHANGING,
      schema: {
        tags,
        summary: "Remove an account with its sessions, keys and passkeys, for the owner",
        params: Type.Object({ name: Type.String({ pattern: NAME_PATTERN }) }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { userId } = await requireInstanceOwner(access, request);
      const { name } = request.params;
      const outcome = await removePerson(access.database, { name, removedBy: userId, nowMs: now() });
      if (outcome === "unknown") throw new Problem("not-found", { detail: "There is no account with this name." });
      if (outcome === "oneself") {
        throw new Problem("owner-account", { detail: "This account owns the instance and cannot be removed." });
      }
      await forget(outcome.endedCredentials);
      return reply.code(204).send(null);
    },
  );
}
