import assert from "node:assert/strict";
import { test } from "node:test";
import { startAccounts } from "../accounts/accounts-under-test.suite.ts";
import type { OpenTestDatabase } from "../callers/site.suite.ts";
import { mayUseOwner } from "./may-use-owner.ts";

export function testMayUseOwner(engine: string, open: OpenTestDatabase): void {
  test(`${engine}: one may use one's own name and those of one's organisations, however they are written`, async (t) => {
    const { call, person, owner, database } = await startAccounts(t, open);
    const [bob, kate] = [await person("Bob"), await person("kate")];
    await call("POST", "/auth/organisations", bob.browser, { name: "Lab" });
    await call("PUT", "/auth/organisations/lab/members/kate", bob.browser, { role: "member" });
    const may = mayUseOwner(database);
    for (const name of ["bob", "BOB", "lab", "LAB"]) assert.equal(await may(bob.id, name), true, name);
    assert.equal(await may(kate.id, "lab"), true);
    for (const name of ["bob", "ada", "nobody-here"]) assert.equal(await may(kate.id, name), false, name);
    assert.equal(await may(owner.id, "lab"), false, "the instance's owner is not in it");
    assert.equal(await may("unknown", "bob"), false);
    await call("DELETE", "/auth/organisations/lab/members/kate", kate.browser);
    assert.equal(await may(kate.id, "lab"), false, "at once");
  });

  test(`${engine}: what is no name is nobody's, also when lower case makes it look like one`, async (t) => {
    const { person, database } = await startAccounts(t, open);
    const kate = await person("kate");
    const may = mayUseOwner(database);
    for (const name of ["\u212aate", "kate\u0000", "kate ", "kate\n", "", "%", "k_te", "x".repeat(100_000)]) {
      assert.equal(await may(kate.id, name), false);
    }
  });
}
