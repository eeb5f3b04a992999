import assert from "node:assert/strict";
import { test } from "node:test";
import { type AccountTables, migrations } from "@backplane/accounts";
import { migrate, openDatabase } from "@backplane/kit/database";
import { countTurns, createTestDatabase } from "../../../scripts/services/index.ts";
import { openStage, tokenIn } from "./intents-under-test.suite.ts";
import type { IntentTables } from "./store.ts";

/** At 200 ms to the database, a call then takes at most a second. */
const MAX_ROUND_TRIPS = 5;

test("each call of a program's sign-in takes at most five round trips to PostgreSQL, and the approval's lock none", async (t) => {
  const fresh = await createTestDatabase();
  const counter = await countTurns(fresh.url);
  const open = () =>
    openDatabase<AccountTables & IntentTables>({ url: counter.url, home: "", onLostConnection: () => {} });
  const under = await openStage(t, {
    ...{ name: "postgres", instances: 1 },
    async prepare() {
      const database = await open();
      await migrate(database as never, migrations, () => 1);
      await database.close();
      return {
        open,
        async discard() {
          await counter[Symbol.asyncDispose]();
          await fresh[Symbol.asyncDispose]();
        },
      };
    },
  });
  const cookie = await under.signIn(await under.addUser());
  async function signIn(): Promise<Record<string, number>> {
    // An instance knows its callers for a second: here it asks again each time.
    under.clock.nowMs += 2_000;
    counter.turns();
    const { token } = await under.create();
    const created = counter.turns();
    assert.equal((await under.decide(token, cookie)).status, 200);
    const approved = counter.turns();
    await tokenIn(await under.poll(token));
    return { created, approved, retrieved: counter.turns() };
  }
  // Opens the connections.
  await signIn();
  const counts = await signIn();
  for (const [call, turns] of Object.entries(counts)) assert.ok(turns <= MAX_ROUND_TRIPS, `${call}: ${turns}`);
  // Who is calling, the intent, and the decision.
  assert.equal(counts.approved, 3);
});
