import assert from "node:assert/strict";
import { test } from "node:test";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import type { OpenTestDatabase } from "../callers/site.suite.ts";
import { startAccounts } from "./accounts-under-test.suite.ts";

export function testPeople(engine: string, open: OpenTestDatabase): void {
  const rule = ruleTest(engine);
  test(`${engine}: the owner sees all accounts`, async (t) => {
    const { call, owner, person, pass, now } = await startAccounts(t, open);
    pass(1_000);
    await person("bob");
    const { users } = (await call("GET", "/auth/users", owner.browser)).json();
    const at = (ms: number) => new Date(ms).toISOString();
    assert.deepEqual(users, [
      { name: "ada", display_name: "ada", email: "ada@example.com", is_owner: true, created_at: at(now() - 1_000) },
      { name: "bob", display_name: "bob", email: "bob@example.com", is_owner: false, created_at: at(now()) },
    ]);
  });

  test(`${engine}: a removed account loses its sessions, keys, passkeys and name at once`, async (t) => {
    const { call, refused, owner, person, database } = await startAccounts(t, open);
    const bob = await person("Bob");
    await database.durable
      .insertInto("passkeys")
      .values({
        ...{ id: "passkey", user_id: bob.id, rp_id: "localhost", public_key: "", counter: 0, transports: "", name: "" },
        ...{ created_at_ms: 1, last_used_at_ms: null },
      })
      .execute();
    const credentials = [bob.browser, bob.application, bob.apiKey];
    const read = ["GET", "/auth/organisations"] as const;
    for (const credential of credentials) assert.equal((await call(...read, credential)).statusCode, 200);
    assert.equal((await call("DELETE", "/auth/users/bob", owner.browser)).statusCode, 204);
    for (const credential of credentials) await refused("401 not-signed-in", ...read, credential);
    for (const table of ["sessions", "api_keys", "passkeys"] as const) {
      const rows = await database.durable.selectFrom(table).select("id").where("user_id", "=", bob.id).execute();
      assert.deepEqual(rows, []);
    }
    await refused("404 not-found", "DELETE", "/auth/users/bob", owner.browser);
    await person("bob");
  });

  test(`${engine}: an organisation whose only owner is removed goes to the owner of the instance`, async (t) => {
    const { call, owner, person, join, owners } = await startAccounts(t, open);
    const [bob, eve] = [await person("bob"), await person("eve")];
    await call("POST", "/auth/organisations", bob.browser, { name: "alone" });
    await join(bob, "alone", eve, "member");
    await call("PUT", "/auth/organisations/alone/members/ada", bob.browser, { role: "member" });
    await call("POST", "/auth/organisations", bob.browser, { name: "shared" });
    await join(bob, "shared", eve, "owner");
    assert.equal((await call("DELETE", "/auth/users/bob", owner.browser)).statusCode, 204);
    const accept = await call("POST", "/auth/organisations/alone/accept", owner.browser);
    assert.equal(accept.statusCode, 404, "the invitation ended with it");
    const { organisations } = (await call("GET", "/auth/organisations", eve.browser)).json();
    assert.deepEqual(organisations, [
      {
        id: await owners.idOf("alone"),
        name: "alone",
        display_name: "alone",
        members: [
          { name: "ada", role: "owner" },
          { name: "eve", role: "member" },
        ],
        invited: [],
      },
      {
        id: await owners.idOf("shared"),
        ...{ name: "shared", display_name: "shared", members: [{ name: "eve", role: "owner" }], invited: [] },
      },
    ]);
  });

  test(`${engine}: a removal names all removed owners before it is answered, and for ever`, async (t) => {
    const { call, owner, person, owners } = await startAccounts(t, open);
    const bob = await person("bob");
    await call("POST", "/auth/organisations", bob.browser, { name: "lab" });
    const lab = await owners.idOf("lab");
    await call("POST", "/auth/organisations", owner.browser, { name: "club" });
    const club = await owners.idOf("CLUB");
    const removed: (readonly string[])[] = [];
    owners.onRemoved(async (ids) => void removed.push(ids));
    assert.equal((await call("DELETE", "/auth/users/bob", owner.browser)).statusCode, 204);
    assert.equal((await call("DELETE", "/auth/organisations/club", owner.browser)).statusCode, 204);
    assert.deepEqual(removed, [[bob.id, lab], [club]], "nobody else was in lab");
    assert.deepEqual((await owners.listRemoved()).sort(), [bob.id, lab, club].sort());
    for (const name of ["bob", "lab", "club", "\u212aate"]) assert.equal(await owners.idOf(name), undefined);
  });

  rule(`${engine}: the owner's own account cannot be removed, and an organisation is not an account`, async (t) => {
    const { call, refused, owner } = await startAccounts(t, open);
    await call("POST", "/auth/organisations", owner.browser, { name: "lab" });
    await refused("409 owner-account", "DELETE", "/auth/users/ADA", owner.browser);
    await refused("404 not-found", "DELETE", "/auth/users/lab", owner.browser);
    for (const name of ["%00", "a%2Fb", "%F0%9F%91%A9", encodeURIComponent("\u212aate")]) {
      assert.equal((await call("DELETE", `/auth/users/${name}`, owner.browser)).statusCode, 400);
    }
  });

  rule(`${engine}: only the owner lists and removes people, in a browser`, async (t) => {
    const { refused, owner, person } = await startAccounts(t, open);
    const bob = await person("bob");
    for (const [method, url] of [
      ["GET", "/auth/users"],
      ["DELETE", "/auth/users/bob"],
    ] as const) {
      await refused("401 not-signed-in", method, url);
      await refused("403 owner-only", method, url, bob.browser);
      await refused("403 browser-session-needed", method, url, owner.application);
      await refused("403 browser-session-needed", method, url, owner.apiKey);
    }
    await refused("403 foreign-page", "DELETE", "/auth/users/bob", { ...owner.browser, origin: "null" });
  });
}
