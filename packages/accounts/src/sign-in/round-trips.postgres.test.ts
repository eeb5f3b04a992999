import assert from "node:assert/strict";
import { test } from "node:test";
import { openDatabase } from "@backplane/kit/database";
import { countTurns, createTestDatabase, type TurnCounter } from "../../../../scripts/services/index.ts";
import { startSiteWithUser } from "../callers/site.suite.ts";
import type { AccountTables } from "../tables.ts";

test("signing in with a password takes at most five round trips to PostgreSQL", async (t) => {
  const user = { name: "ada", password: "correct horse battery" };
  let counter: TurnCounter | undefined;
  const site = await startSiteWithUser(
    t,
    async () => {
      const fresh = await createTestDatabase();
      counter = await countTurns(fresh.url);
      const database = await openDatabase<AccountTables>({ url: counter.url, home: "", onLostConnection: () => {} });
      t.after(async () => {
        await database.close();
        await counter?.[Symbol.asyncDispose]();
        await fresh[Symbol.asyncDispose]();
      });
      return database;
    },
    { user },
  );
  const signIn = async () => {
    const { statusCode, headers } = await site.call("POST", "/auth/login", {}, user);
    assert.equal(statusCode, 200);
    return String(headers["set-cookie"]).split(";")[0] ?? "";
  };
  // Opens the connections, three of them for the last step.
  const cookie = await signIn();
  counter?.turns();
  await site.call("POST", "/auth/login", { cookie }, user);
  const turns = counter?.turns() ?? 0;
  assert.ok(turns >= 1 && turns <= 5, `${turns}`);
});
