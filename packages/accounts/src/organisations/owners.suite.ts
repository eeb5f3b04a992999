import assert from "node:assert/strict";
import { test } from "node:test";
import { startAccounts } from "../accounts/accounts-under-test.suite.ts";
import type { OpenTestDatabase } from "../callers/site.suite.ts";
import { openOwners } from "./owners.ts";

export function testOwners(engine: string, open: OpenTestDatabase): void {
  test(`${engine}: people may use their own name and those of their organisations, in any case`, async (t) => {
    const { call, person, join, owner, database } = await startAccounts(t, open);
    const [bob, kate] = [await person("Bob"), await person("kate")];
    await call("POST", "/auth/organisations", bob.browser, { name: "Lab" });
    await join(bob, "lab", kate, "member");
    const { resolve, mayAct, mayManage, nameOf, listFor, personNamed } = openOwners(database);
    const people = await Promise.all(["BOB", "lab", "nobody-here", "\u212aate"].map(personNamed));
    assert.deepEqual(people, [bob.id, undefined, undefined, undefined]);
    for (const name of ["bob", "BOB"]) assert.equal(await resolve(bob.id, name), bob.id, name);
    const lab = await resolve(bob.id, "LAB");
    assert.ok(lab && lab !== bob.id);
    assert.equal(await resolve(kate.id, "lab"), lab);
    for (const name of ["bob", "ada", "nobody-here"]) assert.equal(await resolve(kate.id, name), undefined, name);
    assert.equal(await resolve(owner.id, "lab"), undefined, "the instance's owner is not in it");
    assert.equal(await resolve("unknown", "bob"), undefined);
    assert.deepEqual([await nameOf(bob.id), await nameOf(lab), await nameOf("unknown")], ["Bob", "Lab", undefined]);
    assert.deepEqual([await mayAct(bob.id, bob.id), await mayAct(kate.id, lab)], [true, true]);
    assert.deepEqual([await mayAct(kate.id, bob.id), await mayAct(owner.id, bob.id)], [false, false]);
    assert.deepEqual([await mayManage(bob.id, bob.id), await mayManage(bob.id, lab)], [true, true]);
    assert.deepEqual([await mayManage(kate.id, lab), await mayManage(kate.id, bob.id)], [false, false]);
    assert.deepEqual(await listFor(kate.id), [
      { id: kate.id, name: "kate" },
      { id: lab, name: "Lab" },
    ]);
    assert.deepEqual(await listFor("unknown"), []);
    await call("DELETE", "/auth/organisations/lab/members/kate", kate.browser);
    assert.equal(await resolve(kate.id, "lab"), undefined, "at once");
    assert.equal(await mayAct(kate.id, lab), false);
  });

  test(`${engine}: what a removed account owned goes to the owner of the instance, not to the next account with its name`, async (t) => {
    const { call, person, owner, database } = await startAccounts(t, open);
    const bob = await person("bob");
    const { mayAct } = openOwners(database);
    assert.equal(await mayAct(owner.id, bob.id), false);
    await call("DELETE", "/auth/users/bob", owner.browser);
    const other = await person("bob");
    assert.deepEqual([await mayAct(owner.id, bob.id), await mayAct(other.id, bob.id)], [true, false]);
  });

  test(`${engine}: text that is not a name belongs to nobody, even when lower case makes it look like a name`, async (t) => {
    const { person, database } = await startAccounts(t, open);
    const kate = await person("kate");
    const { resolve } = openOwners(database);
    for (const name of ["\u212aate", "kate\u0000", "kate ", "kate\n", "", "%", "k_te", "x".repeat(100_000)]) {
      assert.equal(await resolve(kate.id, name), undefined);
    }
  });
}
