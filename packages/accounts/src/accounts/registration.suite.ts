import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ACCOUNT_LIMITS, type NewInvitation } from "@backplane/contract/accounts";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import type { OpenTestDatabase } from "../callers/site.suite.ts";
import { verifyPassword } from "../users/passwords.ts";
import { startAccounts } from "./accounts-under-test.suite.ts";

const GRACE = { name: "Grace", email: "grace@example.com", password: "correct horse" };

export function testRegistration(engine: string, open: OpenTestDatabase): void {
  const rule = ruleTest(engine);
  async function start(t: TestContext, options?: { openRegistration: boolean }) {
    const accounts = await startAccounts(t, open, options);
    const { call, database, owner } = accounts;
    return {
      ...accounts,
      async invite() {
        const response = await call("POST", "/auth/invitations", owner.browser, {});
        return (response.json() as NewInvitation).url.split("#")[1] ?? "";
      },
      join: (body: unknown, headers = {}) => call("POST", "/auth/accounts", headers, body),
      users: () => database.durable.selectFrom("users").selectAll().where("is_owner", "=", 0).execute(),
    };
  }

  test(`${engine}: an invitation becomes an account, which is then signed in`, async (t) => {
    const { call, refused, invite, join, users, owner, lines } = await start(t);
    const invitation = await invite();
    const response = await join({ ...GRACE, invitation, display_name: " Grace Hopper " });
    assert.equal(response.statusCode, 201, response.body);
    const user = response.json();
    assert.deepEqual(
      [user.name, user.display_name, user.email, user.is_owner],
      ["Grace", "Grace Hopper", "grace@example.com", false],
    );
    const cookie = String(response.headers["set-cookie"]);
    assert.match(
      cookie,
      /^__Host-session_token=tok_[\w-]{43}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Strict; Secure$/,
    );
    const grace = { cookie: cookie.split(";")[0] ?? "" };
    assert.equal((await call("PATCH", "/user", grace, {})).json().id, user.id);
    const [row] = await users();
    assert.ok(await verifyPassword(GRACE.password, row?.password_hash ?? ""));
    const { invitations } = (await call("GET", "/auth/invitations", owner.browser)).json();
    assert.equal(invitations[0].used_by, "Grace");
    await refused("410 invitation-ended", "POST", "/auth/invitations/check", {}, { invitation });
    assert.doesNotMatch(lines.join(""), /correct horse|inv_|tok_/);
  });

  rule(`${engine}: without a valid invitation an account is refused, and nothing is created`, async (t) => {
    const { refused, invite, users, pass } = await start(t);
    const invitation = await invite();
    await refused("403 registration-closed", "POST", "/auth/accounts", {}, GRACE);
    const unknown = { ...GRACE, invitation: "inv_unknown" };
    await refused("403 registration-closed", "POST", "/auth/accounts", {}, unknown);
    pass(ACCOUNT_LIMITS.invitationLifeMs);
    const expired = await refused("410 invitation-ended", "POST", "/auth/accounts", {}, { ...GRACE, invitation });
    assert.equal(expired.errors?.[0]?.pointer, "/invitation");
    assert.deepEqual(await users(), []);
  });

  rule(`${engine}: where registration is open, anybody can create an account`, async (t) => {
    const { join, users } = await start(t, { openRegistration: true });
    assert.equal((await join(GRACE)).statusCode, 201);
    assert.equal((await users()).length, 1);
  });

  test(`${engine}: of many concurrent uses of one invitation, exactly one creates an account`, async (t) => {
    const { invite, join, users } = await start(t);
    const invitation = await invite();
    const attempts = Array.from({ length: 12 }, (_, n) =>
      join({ ...GRACE, invitation, name: `grace${n}`, email: `grace${n}@example.com` }),
    );
    const statuses = (await Promise.all(attempts)).map(({ statusCode }) => statusCode).sort();
    assert.deepEqual(statuses, [201, ...Array(11).fill(410)]);
    assert.equal((await users()).length, 1);
  });

  test(`${engine}: of many concurrent accounts with the same name, in any case, one is created and the other invitations stay open`, async (t) => {
    const { invite, join, users, call, owner } = await start(t);
    const names = ["grace", "GRACE", "Grace", "gRACE"];
    const tokens = await Promise.all(names.map(() => invite()));
    const answers = await Promise.all(
      names.map((name, n) => join({ ...GRACE, name, email: `${n}@example.com`, invitation: tokens[n] })),
    );
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 409, 409, 409]);
    assert.equal((await users()).length, 1);
    const { invitations } = (await call("GET", "/auth/invitations", owner.browser)).json();
    const open = (invitations as { used_by: string | null }[]).filter(({ used_by }) => used_by === null);
    assert.equal(open.length, 3);
  });

  test(`${engine}: a taken name or email address is 409 and names the field; the invitation stays open`, async (t) => {
    const { call, refused, invite, join, person, owner, users } = await start(t);
    await person("bob");
    await call("POST", "/auth/organisations", owner.browser, { name: "Lab" });
    const invitation = await invite();
    for (const [change, code, pointer] of [
      [{ name: "BOB" }, "name-taken", "/name"],
      [{ name: "lab" }, "name-taken", "/name"],
      [{ name: "Registry" }, "name-taken", "/name"],
      [{ email: "BOB@Example.com" }, "email-taken", "/email"],
      [{ name: "bob", email: "bob@example.com" }, "name-taken", "/name"],
    ] as const) {
      const body = { ...GRACE, ...change, invitation };
      const { errors } = await refused(`409 ${code}`, "POST", "/auth/accounts", {}, body);
      assert.equal(errors?.[0]?.pointer, pointer);
    }
    assert.equal((await users()).length, 1);
    assert.equal((await join({ ...GRACE, invitation })).statusCode, 201);
  });

  rule(`${engine}: fields with a wrong type, length or character are 422 and named`, async (t) => {
    const { refused, invite, users } = await start(t);
    const invitation = await invite();
    const faults: [string, unknown[]][] = [
      ["name", ["", "a b", "-a", "a-", "аda", "ａda", "\u212aate", "a\u0000", "x".repeat(40), "../a", 7, null, ["a"]]],
      ["email", ["", "grace", "a@b", "a b@example.com", `${"x".repeat(250)}@example.com`, "a@exämple.com", 7, null]],
      ["password", ["", "1234567", "x".repeat(257), 12_345_678, null, { length: 9 }]],
      ["display_name", ["x".repeat(101), "a\u0000b", "line\nbreak", "\u202etxet", "\ud800", 7, null]],
      ["invitation", ["x".repeat(129), 7, null, { $ne: "" }]],
    ];
    for (const [field, values] of faults) {
      for (const value of values) {
        const body = JSON.stringify({ invitation, ...GRACE, [field]: value });
        const { errors } = await refused("422 invalid-input", "POST", "/auth/accounts", {}, body);
        assert.equal(errors?.[0]?.pointer, `/${field}`);
      }
    }
    await refused("413 payload-too-large", "POST", "/auth/accounts", {}, { ...GRACE, rest: "x".repeat(17_000) });
    assert.deepEqual(await users(), []);
  });

  rule(`${engine}: a page on another site cannot create an account`, async (t) => {
    const { refused } = await start(t, { openRegistration: true });
    const foreign = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
    await refused("403 foreign-page", "POST", "/auth/accounts", foreign, GRACE);
  });

  rule(
    `${engine}: one address gets ${ACCOUNT_LIMITS.registrationsPerAddress} tries in a quarter of an hour; other addresses are not affected`,
    async (t) => {
      const { refused, call } = await start(t);
      const from = (address: string) => ({ "x-forwarded-for": address });
      for (let n = 0; n < ACCOUNT_LIMITS.registrationsPerAddress; n += 1) {
        await refused("403 registration-closed", "POST", "/auth/accounts", from("192.0.2.7"), GRACE);
      }
      await refused("429 too-many-requests", "POST", "/auth/accounts", from("192.0.2.7"), GRACE);
      const check = await call("POST", "/auth/invitations/check", from("192.0.2.7"), { invitation: "inv_x" });
      assert.equal(check.statusCode, 429);
      assert.match(String(check.headers["retry-after"]), /^\d+$/);
      await refused("403 registration-closed", "POST", "/auth/accounts", from("192.0.2.8"), GRACE);
    },
  );
}
