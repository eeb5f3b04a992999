import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ACCOUNT_LIMITS } from "@backplane/contract/accounts";
import type { OpenTestDatabase } from "../callers/site.suite.ts";
import { verifyPassword } from "../users/passwords.ts";
import { quickPasswords } from "../users/quick-passwords.suite.ts";
import { startAccounts } from "./accounts-under-test.suite.ts";

const OLD = "the old password";
const NEW = "the new password";

export function testPasswordChange(engine: string, open: OpenTestDatabase): void {
  async function start(t: TestContext) {
    const accounts = await startAccounts(t, open);
    const { database, person } = accounts;
    const bob = await person("bob");
    await database.durable
      .updateTable("users")
      .set({ password_hash: await quickPasswords.hashPassword(OLD) })
      .where("id", "=", bob.id)
      .execute();
    const storedHash = async () => {
      const users = database.durable.selectFrom("users").select("password_hash").where("id", "=", bob.id);
      return (await users.executeTakeFirstOrThrow()).password_hash;
    };
    return { ...accounts, bob, storedHash };
  }
  const change = (current: unknown, next: unknown = NEW) => ({ current_password: current, new_password: next });

  test(`${engine}: a password change ends every other session of the account at once, but no API key`, async (t) => {
    const { call, refused, bob, again, owner, storedHash } = await start(t);
    const second = await again(bob.id);
    const others = [bob.application, second.browser, second.application];
    const read = ["GET", "/auth/organisations"] as const;
    for (const credential of others) assert.equal((await call(...read, credential)).statusCode, 200);
    assert.equal((await call("PUT", "/auth/password", bob.browser, change(OLD))).statusCode, 204);
    assert.ok(await verifyPassword(NEW, await storedHash()));
    for (const credential of others) await refused("401 not-signed-in", ...read, credential);
    for (const credential of [bob.browser, bob.apiKey, owner.application]) {
      assert.equal((await call(...read, credential)).statusCode, 200);
    }
  });

  test(`${engine}: a wrong current password is 403 and changes nothing`, async (t) => {
    const { call, refused, bob, storedHash } = await start(t);
    const before = await storedHash();
    const wrong = await refused("403 wrong-password", "PUT", "/auth/password", bob.browser, change("wrong"));
    assert.equal(wrong.errors?.[0]?.pointer, "/current_password");
    const missing = await refused("422 invalid-input", "PUT", "/auth/password", bob.browser, { new_password: NEW });
    assert.equal(missing.errors?.[0]?.pointer, "/current_password");
    assert.equal(await storedHash(), before);
    assert.equal((await call("GET", "/auth/organisations", bob.application)).statusCode, 200);
  });

  test(`${engine}: an account without a password sets its first one`, async (t) => {
    const { call, owner } = await start(t);
    const first = { new_password: NEW };
    assert.equal((await call("PUT", "/auth/password", owner.browser, first)).statusCode, 204);
    assert.equal((await call("PUT", "/auth/password", owner.browser, first)).statusCode, 422);
  });

  test(`${engine}: of two changes with the same current password, one wins`, async (t) => {
    const { call, bob, again } = await start(t);
    const second = await again(bob.id);
    const answers = await Promise.all([
      call("PUT", "/auth/password", bob.browser, change(OLD, "first new password")),
      call("PUT", "/auth/password", second.browser, change(OLD, "second new password")),
    ]);
    assert.equal(answers.filter(({ statusCode }) => statusCode === 204).length, 1);
  });

  test(`${engine}: someone who has only the browser session gets ${ACCOUNT_LIMITS.wrongPasswordsPerAccount} guesses, then 429, from any session; other accounts are not affected`, async (t) => {
    const { refused, call, bob, again, owner, pass } = await start(t);
    for (let n = 1; n < ACCOUNT_LIMITS.wrongPasswordsPerAccount; n += 1) {
      await refused("403 wrong-password", "PUT", "/auth/password", bob.browser, change(`guess ${n}`));
    }
    const right = await call("PUT", "/auth/password", bob.browser, change(OLD, OLD));
    assert.equal(right.statusCode, 204, "right passwords do not count");
    await refused("403 wrong-password", "PUT", "/auth/password", bob.browser, change("the last guess"));
    const second = await again(bob.id);
    await refused("429 too-many-requests", "PUT", "/auth/password", bob.browser, change(OLD));
    await refused("429 too-many-requests", "PUT", "/auth/password", second.browser, change(OLD));
    assert.equal((await call("PUT", "/auth/password", owner.browser, { new_password: NEW })).statusCode, 204);
    pass(ACCOUNT_LIMITS.wrongPasswordWindowMs);
    assert.equal((await call("PUT", "/auth/password", bob.browser, change(OLD))).statusCode, 204);
  });

  test(`${engine}: of many guesses at once, no more than the limit are tried`, async (t) => {
    const { call, bob } = await start(t);
    const guesses = Array.from({ length: ACCOUNT_LIMITS.wrongPasswordsPerAccount + 5 }, (_, n) => `guess ${n}`);
    const answers = await Promise.all(
      guesses.map((guess) => call("PUT", "/auth/password", bob.browser, change(guess))),
    );
    const tried = answers.filter(({ statusCode }) => statusCode === 403);
    assert.equal(tried.length, ACCOUNT_LIMITS.wrongPasswordsPerAccount);
  });

  test(`${engine}: only a signed-in browser can change a password`, async (t) => {
    const { refused, bob } = await start(t);
    await refused("401 not-signed-in", "PUT", "/auth/password", {}, change(OLD));
    await refused("403 browser-session-needed", "PUT", "/auth/password", bob.application, change(OLD));
    await refused("403 browser-session-needed", "PUT", "/auth/password", bob.apiKey, change(OLD));
    const foreign = { ...bob.browser, "sec-fetch-site": "same-site" };
    await refused("403 foreign-page", "PUT", "/auth/password", foreign, change(OLD));
    for (const next of ["1234567", "x".repeat(257), 12_345_678, null]) {
      await refused("422 invalid-input", "PUT", "/auth/password", bob.browser, change(OLD, next));
    }
  });
}
