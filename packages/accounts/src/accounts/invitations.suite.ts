import assert from "node:assert/strict";
import { test } from "node:test";
import { ACCOUNT_LIMITS, type NewInvitation } from "@backplane/contract/accounts";
import { hashSecret } from "@backplane/kit/secrets";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import type { OpenTestDatabase } from "../callers/site.suite.ts";
import { startAccounts } from "./accounts-under-test.suite.ts";

const WEEK_MS = 7 * 24 * 3_600_000;

export function testInvitations(engine: string, open: OpenTestDatabase): void {
  const rule = ruleTest(engine);
  const start = async (...[t, options]: [Parameters<OpenTestDatabase>[0], { openRegistration?: boolean }?]) => {
    const accounts = await startAccounts(t, open, options);
    const invite = async (note?: string) => {
      const response = await accounts.call("POST", "/auth/invitations", accounts.owner.browser, { note });
      assert.equal(response.statusCode, 201, response.body);
      const invitation = response.json() as NewInvitation;
      return { ...invitation, token: invitation.url.split("#")[1] ?? "" };
    };
    return { ...accounts, invite };
  };

  test(`${engine}: an invitation is a link with the secret after the #, valid for seven days, and shown once`, async (t) => {
    const { call, owner, invite, now, database, lines } = await start(t);
    const { token, url, ...invitation } = await invite("Grace from the lab");
    assert.match(url, /^https:\/\/backplane\.example\/auth\/join#inv_[\w-]{43}$/);
    assert.deepEqual(
      { ...invitation, id: "" },
      {
        id: "",
        note: "Grace from the lab",
        created_at: new Date(now()).toISOString(),
        expires_at: new Date(now() + WEEK_MS).toISOString(),
        used_by: null,
      },
    );
    const list = (await call("GET", "/auth/invitations", owner.browser)).json();
    assert.deepEqual(list, { invitations: [invitation] });
    const rows = await database.durable.selectFrom("invitations").selectAll().execute();
    assert.equal(rows[0]?.token_hash, hashSecret(token));
    assert.doesNotMatch(JSON.stringify(rows) + lines.join(""), new RegExp(token));
  });

  rule(`${engine}: only the owner manages invitations, in a browser`, async (t) => {
    const { refused, owner, person, invite } = await start(t);
    const { id } = await invite();
    const bob = await person("bob");
    for (const [method, url, body] of [
      ["POST", "/auth/invitations", {}],
      ["GET", "/auth/invitations", undefined],
      ["DELETE", `/auth/invitations/${id}`, undefined],
    ] as const) {
      await refused("401 not-signed-in", method, url, {}, body);
      await refused("403 owner-only", method, url, bob.browser, body);
      await refused("403 browser-session-needed", method, url, owner.application, body);
      await refused("403 browser-session-needed", method, url, owner.apiKey, body);
    }
    const foreign = { ...owner.browser, origin: "https://evil.example" };
    await refused("403 foreign-page", "POST", "/auth/invitations", foreign, {});
  });

  rule(`${engine}: a page can ask whether an invitation is open, and who sent it`, async (t) => {
    const { call, refused, invite, pass, now } = await start(t);
    const { token } = await invite();
    const check = (invitation: unknown) => ["POST", "/auth/invitations/check", {}, { invitation }] as const;
    const open = await call(...check(token));
    assert.deepEqual(open.json(), { invited_by: "ada", expires_at: new Date(now() + WEEK_MS).toISOString() });
    await refused("404 not-found", ...check(`${token}x`));
    for (const wrong of [7, null, "", "x".repeat(129)]) await refused("422 invalid-input", ...check(wrong));
    pass(WEEK_MS);
    await refused("410 invitation-ended", ...check(token));
  });

  test(`${engine}: a revoked invitation is unknown; revoking it again is 404`, async (t) => {
    const { call, refused, invite, owner } = await start(t);
    const { id, token } = await invite();
    assert.equal((await call("DELETE", `/auth/invitations/${id}`, owner.browser)).statusCode, 204);
    await refused("404 not-found", "POST", "/auth/invitations/check", {}, { invitation: token });
    await refused("404 not-found", "DELETE", `/auth/invitations/${id}`, owner.browser);
    await refused("400 invalid-parameter", "DELETE", "/auth/invitations/%00", owner.browser);
  });

  test(`${engine}: at most ${ACCOUNT_LIMITS.maxOpenInvitations} are open, even when many are requested at once; ended ones make room`, async (t) => {
    const { call, refused, owner, pass, database } = await start(t);
    const ask = () => call("POST", "/auth/invitations", owner.browser, {});
    const madeAtOnce = async (count: number) => {
      const asked = await Promise.all(Array.from({ length: count }, ask));
      return asked.filter(({ statusCode }) => statusCode === 201).length;
    };
    // In groups: a hundred transactions that wait for one lock would exhaust the connections of a busy server.
    const group = 10;
    let made = 0;
    while (made < ACCOUNT_LIMITS.maxOpenInvitations - group / 2) made += await madeAtOnce(group / 2);
    assert.equal(await madeAtOnce(group), ACCOUNT_LIMITS.maxOpenInvitations - made);
    await refused("409 too-many-of-these", "POST", "/auth/invitations", owner.browser, {});
    pass(WEEK_MS);
    assert.equal((await ask()).statusCode, 201);
    pass(ACCOUNT_LIMITS.endedInvitationMemoryMs + 1);
    assert.equal((await ask()).statusCode, 201);
    const rows = await database.durable.selectFrom("invitations").select("id").execute();
    assert.equal(rows.length, 2, "invitations that ended long ago are forgotten");
  });

  rule(`${engine}: a note is plain text of at most 100 characters`, async (t) => {
    const { refused, owner } = await start(t);
    for (const note of ["x".repeat(101), "a\u0000b", "\u202eab", "\ud800", 5, null, {}]) {
      await refused("422 invalid-input", "POST", "/auth/invitations", owner.browser, { note });
    }
  });
}
