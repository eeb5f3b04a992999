import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ACCOUNT_LIMITS, type ResetLink } from "@backplane/contract/accounts";
import { hashSecret } from "@backplane/kit/secrets";
import type { OpenTestDatabase } from "../callers/site.suite.ts";
import { verifyPassword } from "../users/passwords.ts";
import { startAccounts } from "./accounts-under-test.suite.ts";
import { makeResetLink } from "./password-resets.ts";

const HOUR_MS = 3_600_000;
const NEW = "the new password";
const READ = ["GET", "/auth/organisations"] as const;

async function start(t: TestContext, open: OpenTestDatabase) {
  const accounts = await startAccounts(t, open);
  const { call, database, owner, person } = accounts;
  const bob = await person("bob");
  const linkFor = async (name = "bob") => {
    const response = await call("POST", `/auth/users/${name}/reset-link`, owner.browser);
    assert.equal(response.statusCode, 201, response.body);
    const link = response.json() as ResetLink;
    return { ...link, token: link.url.split("#")[1] ?? "" };
  };
  const storedHash = async () => {
    const users = database.durable.selectFrom("users").select("password_hash").where("id", "=", bob.id);
    return (await users.executeTakeFirstOrThrow()).password_hash;
  };
  const check = (token: unknown) => ["POST", "/auth/password/reset/check", {}, { token }] as const;
  const use = (token: unknown, new_password: unknown = NEW) =>
    ["POST", "/auth/password/reset", {}, { token, new_password }] as const;
  return { ...accounts, bob, linkFor, storedHash, check, use };
}

/** What is stored, and who wins: on every engine. */
export function testPasswordResets(engine: string, open: OpenTestDatabase): void {
  test(`${engine}: a reset link has its secret after the #, works for one hour, and is stored as a hash`, async (t) => {
    const { call, linkFor, check, database, lines, now } = await start(t, open);
    const { url, token, expires_at } = await linkFor("BOB");
    assert.match(url, /^https:\/\/backplane\.example\/auth\/reset#rst_[\w-]{43}$/);
    assert.equal(expires_at, new Date(now() + HOUR_MS).toISOString());
    assert.deepEqual((await call(...check(token))).json(), {
      ...{ name: "bob", made_by: "ada", created_at: new Date(now()).toISOString(), expires_at },
      ...{ sessions: 2, api_keys: 1 },
    });
    const rows = await database.durable.selectFrom("password_resets").selectAll().execute();
    assert.equal(rows[0]?.token_hash, hashSecret(token));
    assert.doesNotMatch(JSON.stringify(rows) + lines.join(""), new RegExp(token));
  });

  test(`${engine}: a reset ends all sessions and API keys of the account at once, and signs this browser in`, async (t) => {
    const { call, refused, linkFor, use, bob, again, owner, storedHash } = await start(t, open);
    const second = await again(bob.id);
    const before = [bob, second].flatMap(({ browser, application, apiKey }) => [browser, application, apiKey]);
    for (const credential of before) assert.equal((await call(...READ, credential)).statusCode, 200);
    const response = await call(...use((await linkFor()).token));
    assert.equal(response.statusCode, 200, response.body);
    assert.deepEqual(response.json(), { name: "bob", ended_sessions: 4, ended_api_keys: 2 });
    assert.ok(await verifyPassword(NEW, await storedHash()));
    for (const credential of before) await refused("401 not-signed-in", ...READ, credential);
    const [cookie = ""] = String(response.headers["set-cookie"]).split(";");
    assert.equal((await call(...READ, { cookie })).statusCode, 200);
    for (const credential of [owner.browser, owner.apiKey]) {
      assert.equal((await call(...READ, credential)).statusCode, 200, "other accounts are not affected");
    }
  });

  test(`${engine}: of many concurrent uses of one link exactly one sets the password`, async (t) => {
    const { call, linkFor, use, storedHash } = await start(t, open);
    const { token } = await linkFor();
    const passwords = Array.from({ length: 8 }, (_, n) => `new password ${n}`);
    const answers = await Promise.all(passwords.map((password) => call(...use(token, password))));
    const winners = passwords.filter((_, n) => answers[n]?.statusCode === 200);
    assert.equal(winners.length, 1);
    assert.ok(await verifyPassword(winners[0] ?? "", await storedHash()), "the losers changed nothing");
    for (const answer of answers.filter(({ statusCode }) => statusCode !== 200)) {
      assert.equal(answer.json().code, "reset-link-ended");
      assert.equal(answer.headers["set-cookie"], undefined);
    }
  });

  test(`${engine}: of links made at once for one person exactly one works, and a person who is removed loses theirs`, async (t) => {
    const { call, refused, linkFor, check, use, owner } = await start(t, open);
    const links = await Promise.all(Array.from({ length: 5 }, () => linkFor()));
    const checks = await Promise.all(links.map(({ token }) => call(...check(token))));
    const working = links.filter((_, n) => checks[n]?.statusCode === 200);
    assert.equal(working.length, 1);
    assert.equal((await call("DELETE", "/auth/users/bob", owner.browser)).statusCode, 204);
    await refused("410 reset-link-ended", ...use(working[0]?.token));
  });
}

/** On one engine. */
export function testPasswordResetRules(engine: string, open: OpenTestDatabase): void {
  test(`${engine}: a reset link that is unknown, used, replaced or expired is 410, all alike, and changes nothing`, async (t) => {
    const { call, refused, linkFor, check, use, storedHash, pass } = await start(t, open);
    const replaced = await linkFor();
    const used = await linkFor();
    assert.equal((await call(...use(used.token))).statusCode, 200);
    const after = await storedHash();
    const expired = await linkFor();
    pass(ACCOUNT_LIMITS.resetLinkLifeMs);
    const bodies = new Set<string>();
    for (const token of ["rst_unknown", replaced.token, used.token, expired.token]) {
      bodies.add(JSON.stringify({ ...(await refused("410 reset-link-ended", ...check(token))), instance: "" }));
      await refused("410 reset-link-ended", ...use(token, "another password"));
    }
    assert.equal(bodies.size, 1);
    assert.equal(await storedHash(), after);
  });

  test(`${engine}: a person who changes their password ends a reset link that is still open`, async (t) => {
    const { call, refused, linkFor, check, bob } = await start(t, open);
    const { token } = await linkFor();
    assert.equal((await call("PUT", "/auth/password", bob.browser, { new_password: NEW })).statusCode, 204);
    await refused("410 reset-link-ended", ...check(token));
  });

  test(`${engine}: only the owner makes reset links, in a browser, and not for their own account`, async (t) => {
    const { refused, bob, owner } = await start(t, open);
    const make = (name: string) => ["POST", `/auth/users/${name}/reset-link`] as const;
    await refused("401 not-signed-in", ...make("bob"));
    await refused("403 owner-only", ...make("ada"), bob.browser);
    await refused("403 browser-session-needed", ...make("bob"), owner.application);
    await refused("403 browser-session-needed", ...make("bob"), owner.apiKey);
    await refused("403 foreign-page", ...make("bob"), { ...owner.browser, origin: "https://evil.example" });
    await refused("404 not-found", ...make("nobody"), owner.browser);
    const own = await refused("409 own-account", ...make("ADA"), owner.browser);
    assert.match(own.detail ?? "", /backplane reset-password/);
  });

  test(`${engine}: a page of another site cannot use a reset link, and a bad password names its field`, async (t) => {
    const { call, refused, linkFor, use } = await start(t, open);
    const { token } = await linkFor();
    const [method, url, , body] = use(token);
    await refused("403 foreign-page", method, url, { origin: "https://evil.example" }, body);
    for (const password of ["1234567", "x".repeat(257), 12_345_678, null]) {
      const { errors } = await refused("422 invalid-input", ...use(token, password));
      assert.equal(errors?.[0]?.pointer, "/new_password");
    }
    for (const wrong of ["", "x".repeat(129), 7, null]) await refused("422 invalid-input", ...use(wrong));
    assert.equal((await call(...use(token))).statusCode, 200);
  });

  test(`${engine}: guesses at reset links are limited per address`, async (t) => {
    const { call, refused, check, pass } = await start(t, open);
    for (let n = 0; n < ACCOUNT_LIMITS.resetsPerAddress; n += 1) await call(...check(`rst_${n}`));
    await refused("429 too-many-requests", ...check("rst_one-more"));
    pass(ACCOUNT_LIMITS.resetWindowMs);
    await refused("410 reset-link-ended", ...check("rst_one-more"));
  });

  test(`${engine}: a command on the machine makes a link for anybody, also for the owner`, async (t) => {
    const { call, database, now, check, use, owner } = await start(t, open);
    const make = (name: string) =>
      makeResetLink(database, { name, madeBy: null, authUrl: "https://backplane.example", nowMs: now() });
    assert.equal(await make("nobody"), "unknown");
    const made = await make("ada");
    assert.ok(typeof made === "object");
    const token = made.url.split("#")[1];
    assert.equal((await call(...check(token))).json().made_by, null);
    assert.equal((await call(...use(token))).statusCode, 200);
    const { password_hash: stored } = await database.durable
      .selectFrom("users")
      .select("password_hash")
      .where("id", "=", owner.id)
      .executeTakeFirstOrThrow();
    assert.ok(await verifyPassword(NEW, stored));
  });
}
