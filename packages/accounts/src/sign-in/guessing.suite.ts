import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ACCOUNT_LIMITS } from "@backplane/contract/accounts";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import { ADDRESS, addUser, type OpenTestDatabase, openTables, startSite } from "../callers/site.suite.ts";

const PASSWORD = "correct horse battery";

/** What somebody who guesses can do and learn, on a real engine. */
export function testGuessing(engine: string, open: OpenTestDatabase): void {
  const rule = ruleTest(engine);
  /** A site whose passwords are checked without hashing, with accounts that have PASSWORD. */
  async function prepareGuessing(t: TestContext, ...names: string[]) {
    const tables = await openTables(t, open);
    const checked = { count: 0 };
    const plain = {
      hashPassword: async () => "hash",
      async verifyPassword(password: string) {
        checked.count += 1;
        return password === PASSWORD;
      },
    };
    const site = await startSite({ ...tables, passwords: plain });
    for (const name of names) await addUser(tables.database, { name });
    const guess = async (name: string, password = "wrong", remoteAddress = ADDRESS) =>
      site.app.inject({ method: "POST", url: "/auth/login", remoteAddress, payload: { name, password } });
    const statusOf = async (...parameters: Parameters<typeof guess>) => (await guess(...parameters)).statusCode;
    return { clock: tables.clock, checked, guess, statusOf };
  }

  rule(
    `${engine}: after ${ACCOUNT_LIMITS.failuresPerAccountAndAddress} failures from one address at one account, concurrent guesses are refused with Retry-After, right or wrong`,
    async (t) => {
      const { clock, guess, statusOf } = await prepareGuessing(t, "ada");
      // A success does not count.
      for (let i = 0; i < 30; i += 1) assert.equal(await statusOf("ada", PASSWORD, "192.0.2.99"), 200);
      const statuses = await Promise.all(Array.from({ length: 40 }, (_, i) => statusOf("ada", `guess ${i}`)));
      assert.deepEqual(statuses.sort(), [...Array(10).fill(401), ...Array(30).fill(429)]);
      const refused = await guess("ada", PASSWORD);
      assert.equal(refused.statusCode, 429);
      assert.equal(refused.headers["retry-after"], "90");
      assert.equal(refused.json().detail, "Too many failed attempts to sign in. Try again in 2 minutes.");
      // From another address the person can still sign in.
      assert.equal(await statusOf("ada", PASSWORD, "192.0.2.99"), 200);
      clock.nowMs += 90_000;
      assert.equal(await statusOf("ada", PASSWORD), 200);
    },
  );

  test(`${engine}: guesses tell neither which names and email addresses exist, nor which belong together`, async (t) => {
    const { checked, statusOf } = await prepareGuessing(t, "kim");
    // The Kelvin sign: lower case makes it a "k" in some places, and leaves it alone in others.
    const respelt = (name: string) => name.replace("k", "\u212a");
    const guessAt = async (name: string, address: string) => {
      const email = `${name}@example.org`;
      const statuses: number[] = [];
      checked.count = 0;
      for (let i = 0; i < 6; i += 1) {
        for (const entered of [name, name.toUpperCase(), email, respelt(name), respelt(email)]) {
          statuses.push(await statusOf(entered, "wrong", address));
        }
      }
      return { statuses, checked: checked.count };
    };
    const known = await guessAt("kim", "192.0.2.11");
    assert.deepEqual(known, await guessAt("kit", "192.0.2.12"));
    assert.deepEqual(new Set(known.statuses), new Set([401, 429]));
    // Another spelling is not another way in.
    assert.equal(await statusOf(respelt("kim"), PASSWORD), 401);
    assert.equal(await statusOf("KIM", PASSWORD), 200);
  });

  rule(
    `${engine}: ten guesses at a shared address do not lock out a person who signed in from there before`,
    async (t) => {
      const { checked, statusOf } = await prepareGuessing(t, "ada", "eve");
      assert.equal(await statusOf("ada", PASSWORD), 200);
      const wrong = async (name: string) => {
        checked.count = 0;
        const statuses: number[] = [];
        for (let i = 0; i < 15; i += 1) statuses.push(await statusOf(name));
        return { statuses, checked: checked.count };
      };
      const strangers = await wrong("nobody");
      assert.deepEqual(strangers.statuses, [...Array(10).fill(401), ...Array(5).fill(429)]);
      for (const name of ["ada", "eve"]) assert.deepEqual(await wrong(name), strangers, "a guesser sees no difference");
      assert.equal(await statusOf("ada", PASSWORD), 200, "she signed in from here before");
      assert.equal(await statusOf("eve", PASSWORD), 429, "she did not");
      // Guesses at everybody use up the limit of the whole address.
      for (let i = 0; (await statusOf(`stranger ${i}`)) === 401; i += 1);
      assert.equal(await statusOf("ada", PASSWORD), 200);
    },
  );
}
