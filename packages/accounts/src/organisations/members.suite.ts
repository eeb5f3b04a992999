import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ORGANISATION_LIMITS, type Organisation } from "@backplane/contract/accounts";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import { untilAsserted } from "../../../../scripts/testing/until.ts";
import { type Credential, type Person, startAccounts } from "../accounts/accounts-under-test.suite.ts";
import type { OpenTestDatabase } from "../callers/site.suite.ts";

export function testMembers(engine: string, open: OpenTestDatabase): void {
  const rule = ruleTest(engine);
  /** An organisation with two owners, bob and eve, and a member, joe. */
  async function start(t: TestContext) {
    const accounts = await startAccounts(t, open);
    const { call, person, join } = accounts;
    const [bob, eve, joe] = [await person("bob"), await person("eve"), await person("joe")];
    const put = (by: Credential, user: string, body: unknown) =>
      call("PUT", `/auth/organisations/lab/members/${user}`, by, body);
    await call("POST", "/auth/organisations", bob.browser, { name: "lab" });
    await join(bob, "lab", eve, "owner");
    await join(bob, "lab", joe, "member");
    const members = async (by: Credential) => {
      const lab = (await call("GET", "/auth/organisations/lab", by)).json() as Organisation;
      return Object.fromEntries(lab.members.map(({ name, role }) => [name, role]));
    };
    return { ...accounts, ...{ bob, eve, joe, put, members } };
  }
  const at = (user: string) => `/auth/organisations/lab/members/${user}`;

  test(`${engine}: nobody is in an organisation before they accept; what they have not accepted gives and costs nothing`, async (t) => {
    const { call, refused, bob, joe, owner, put, members, owners, now } = await start(t);
    const invited = await put(bob.browser, "ada", { role: "member" });
    assert.deepEqual(invited.json().invited, [{ name: "ada", role: "member" }]);
    assert.equal(Object.hasOwn(await members(bob.browser), "ada"), false);
    await refused("404 not-found", "GET", "/auth/organisations/lab", owner.browser);
    const lab = (await owners.idOf("lab")) as string;
    assert.deepEqual([await owners.resolve(owner.id, "lab"), await owners.mayAct(owner.id, lab)], [undefined, false]);
    assert.deepEqual(await owners.listFor(owner.id), [{ id: owner.id, name: "ada" }]);
    const { organisations, invitations } = (await call("GET", "/auth/organisations", owner.browser)).json();
    assert.deepEqual(organisations, []);
    const invited_at = new Date(now()).toISOString();
    assert.deepEqual(invitations, [
      { name: "lab", display_name: "lab", role: "member", invited_by: "bob", invited_at },
    ]);

    await refused("404 not-found", "POST", "/auth/organisations/lab/accept", joe.browser);
    await refused("404 not-found", "POST", "/auth/organisations/nothing/accept", owner.browser);
    assert.equal((await call("DELETE", at("ada"), owner.browser)).statusCode, 204, "declined");
    await refused("404 not-found", "POST", "/auth/organisations/lab/accept", owner.browser);
    await put(bob.browser, "ada", { role: "member" });
    await put(bob.browser, "ada", { role: "owner" });
    assert.equal((await call("POST", "/auth/organisations/LAB/accept", owner.browser)).statusCode, 200);
    assert.equal((await members(bob.browser)).ada, "owner", "the role of the last invitation");
    await refused("404 not-found", "POST", "/auth/organisations/lab/accept", owner.browser);
  });

  test(`${engine}: an invitation is used once, also when it is accepted and declined at the same time`, async (t) => {
    const { call, bob, owner, put, members } = await start(t);
    const accept = () => call("POST", "/auth/organisations/lab/accept", owner.browser);
    for (let round = 0; round < 8; round += 1) {
      await put(bob.browser, "ada", { role: "member" });
      const by = round % 2 ? owner : bob;
      const [declined, ...accepted] = await Promise.all([call("DELETE", at("ada"), by.browser), accept(), accept()]);
      const isMember = Object.hasOwn(await members(bob.browser), "ada");
      const joined = accepted.filter(({ statusCode }) => statusCode === 200).length;
      assert.ok(joined <= 1, `${joined} acceptances`);
      // A removal that comes right after the acceptance ends the membership.
      assert.equal(isMember, declined.statusCode === 404);
      if (isMember) assert.equal((await call("DELETE", at("ada"), owner.browser)).statusCode, 204);
      assert.equal((await accept()).statusCode, 404, "nothing is left of it");
    }
  });

  rule(`${engine}: owners invite people and change their roles`, async (t) => {
    const { put, bob, eve, joe, members } = await start(t);
    assert.deepEqual(await members(joe.browser), { bob: "owner", eve: "owner", joe: "member" });
    const answer = await put(eve.browser, "JOE", { role: "owner" });
    assert.deepEqual(answer.json().members, [
      { name: "bob", role: "owner" },
      { name: "eve", role: "owner" },
      { name: "joe", role: "owner" },
    ]);
    assert.equal((await put(joe.browser, "eve", { role: "member" })).statusCode, 200);
    assert.deepEqual(await members(bob.browser), { bob: "owner", eve: "member", joe: "owner" });
  });

  test(`${engine}: leaving, being removed, and removal of the organisation or account end what its members keep open, at once`, async (t) => {
    const { call, owner, bob, eve, joe, callers, database } = await start(t);
    const membership = await database.durable
      .selectFrom("memberships")
      .select("organisation_id as id")
      .executeTakeFirstOrThrow();
    const ended: string[] = [];
    async function follow(person: Person, ownerId: string): Promise<void> {
      const session = await database.durable
        .selectFrom("sessions")
        .select("id")
        .where("user_id", "=", person.id)
        .where("kind", "=", "Browser")
        .executeTakeFirstOrThrow();
      const access = { userId: person.id, ownerId, kind: "Browser", credentialId: session.id } as const;
      assert.ok(await callers.followAccess(access, () => void ended.push(person.name)));
    }
    const endsAfter = async (name: string, credential: Credential, url: string) => {
      const before = ended.length;
      assert.equal((await call("DELETE", url, credential)).statusCode, 204);
      await untilAsserted(() => assert.deepEqual(ended.slice(before), [name]));
    };
    for (const person of [bob, eve, joe]) await follow(person, membership.id);
    await endsAfter("joe", joe.browser, at("joe"));
    await endsAfter("eve", bob.browser, at("eve"));
    await endsAfter("bob", bob.browser, "/auth/organisations/lab");
    await follow(joe, joe.id);
    await endsAfter("joe", owner.browser, "/auth/users/joe");
  });

  rule(
    `${engine}: members and strangers can change nobody; a stranger does not even learn that the organisation exists`,
    async (t) => {
      const { refused, owner, joe, members } = await start(t);
      const before = await members(joe.browser);
      await refused("403 owner-only", "PUT", at("joe"), joe.browser, { role: "owner" });
      await refused("403 owner-only", "PUT", at("ada"), joe.browser, { role: "member" });
      await refused("403 owner-only", "DELETE", at("bob"), joe.browser);
      await refused("404 not-found", "PUT", at("ada"), owner.browser, { role: "owner" });
      await refused("404 not-found", "PUT", at("nobody-here"), owner.browser, { role: "owner" });
      await refused("404 not-found", "DELETE", at("joe"), owner.browser);
      assert.deepEqual(await members(joe.browser), before);
    },
  );

  rule(`${engine}: an unknown person, an organisation as a member, and an unknown role are refused`, async (t) => {
    const { refused, bob } = await start(t);
    await refused("404 not-found", "PUT", at("nobody-here"), bob.browser, { role: "member" });
    await refused("404 not-found", "PUT", at("lab"), bob.browser, { role: "member" });
    await refused("404 not-found", "DELETE", at("ada"), bob.browser);
    await refused("404 not-found", "DELETE", at("nobody-here"), bob.browser);
    for (const role of ["admin", "", 7, null, ["owner"]]) {
      await refused("422 invalid-input", "PUT", at("joe"), bob.browser, { role });
    }
    await refused("400 invalid-parameter", "DELETE", at("%00"), bob.browser);
  });

  rule(`${engine}: a member can leave, and an owner can remove somebody`, async (t) => {
    const { call, refused, bob, eve, joe, members } = await start(t);
    assert.equal((await call("DELETE", at("Joe"), joe.browser)).statusCode, 204);
    await refused("404 not-found", "GET", "/auth/organisations/lab", joe.browser);
    assert.equal((await call("DELETE", at("eve"), bob.browser)).statusCode, 204);
    await refused("404 not-found", "DELETE", at("bob"), eve.browser);
    assert.deepEqual(await members(bob.browser), { bob: "owner" });
  });

  rule(`${engine}: at least one owner stays: the last one can neither leave nor become a member`, async (t) => {
    const { call, refused, bob, eve, put, members } = await start(t);
    await call("DELETE", at("eve"), eve.browser);
    await refused("409 last-owner", "DELETE", at("bob"), bob.browser);
    await refused("409 last-owner", "PUT", at("bob"), bob.browser, { role: "member" });
    assert.equal((await put(bob.browser, "bob", { role: "owner" })).statusCode, 200);
    assert.deepEqual(await members(bob.browser), { bob: "owner", joe: "member" });
  });

  test(`${engine}: when two owners leave, step down or remove each other at the same time, one stays owner`, async (t) => {
    const { call, bob, eve, joe, put, members, database } = await start(t);
    const ways: (() => readonly [Promise<{ statusCode: number }>, Promise<{ statusCode: number }>])[] = [
      () => [call("DELETE", at("bob"), bob.browser), call("DELETE", at("eve"), eve.browser)],
      () => [put(bob.browser, "bob", { role: "member" }), put(eve.browser, "eve", { role: "member" })],
      () => [call("DELETE", at("eve"), bob.browser), call("DELETE", at("bob"), eve.browser)],
      () => [call("DELETE", at("bob"), bob.browser), put(eve.browser, "eve", { role: "member" })],
    ];
    const { id } = await database.durable.selectFrom("organisations").select("id").executeTakeFirstOrThrow();
    for (let round = 0; round < 12; round += 1) {
      const answers = await Promise.all(ways[round % ways.length]?.() ?? []);
      assert.equal(answers.filter(({ statusCode }) => statusCode < 300).length, 1);
      const owners = Object.values(await members(joe.browser)).filter((role) => role === "owner");
      assert.equal(owners.length, 1);
      for (const { id: user_id } of [bob, eve]) {
        await database.durable
          .insertInto("memberships")
          .values({ organisation_id: id, user_id, role: "owner", added_at_ms: 0 })
          .onConflict((conflict) => conflict.columns(["organisation_id", "user_id"]).doUpdateSet({ role: "owner" }))
          .execute();
      }
    }
  });

  test(`${engine}: when an owner's account is removed while the other owner leaves, an owner stays`, async (t) => {
    const { call, bob, owner, joe, members } = await start(t);
    const [removed] = await Promise.all([
      call("DELETE", "/auth/users/eve", owner.browser),
      call("DELETE", at("bob"), bob.browser),
    ]);
    assert.equal(removed.statusCode, 204);
    const roles = Object.values(await members(joe.browser));
    assert.ok(roles.includes("owner"));
  });

  rule(
    `${engine}: an organisation has at most ${ORGANISATION_LIMITS.maxMembers} members; roles can still change`,
    async (t) => {
      const { refused, put, bob, database } = await start(t);
      const { id } = await database.durable.selectFrom("organisations").select("id").executeTakeFirstOrThrow();
      const ids = Array.from({ length: ORGANISATION_LIMITS.maxMembers - 3 }, (_, n) => `filler-${n}`);
      const fixed = { display_name: "", password_hash: "", is_owner: 0, created_at_ms: 0 };
      for (const part of [ids.slice(0, 500), ids.slice(500)]) {
        await database.durable
          .insertInto("users")
          .values(part.map((name) => ({ id: name, name, email: `${name}@example.com`, ...fixed })))
          .execute();
        await database.durable
          .insertInto("memberships")
          .values(part.map((user_id) => ({ organisation_id: id, user_id, role: "member" as const, added_at_ms: 0 })))
          .execute();
      }
      await refused("409 too-many-of-these", "PUT", at("ada"), bob.browser, { role: "member" });
      assert.equal((await put(bob.browser, "joe", { role: "owner" })).statusCode, 200);
    },
  );
}
