import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { newSecret } from "@backplane/kit/secrets";
import type { KyselyPlugin } from "kysely";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import { untilAsserted } from "../../../../scripts/testing/until.ts";
import { CALLER_LIFE_MS } from "./known-callers.ts";
import { LAST_USE_EVERY_MS } from "./last-uses.ts";
import {
  addKey,
  addSession,
  addUser,
  type OpenTestDatabase,
  openTables,
  startSite,
  startSiteWithUser,
  withBearer,
  withCookie,
} from "./site.suite.ts";

/** `whoIsCalling`, on a real engine. */
export function testCallers(engine: string, open: OpenTestDatabase): void {
  const rule = ruleTest(engine);
  async function prepare(t: TestContext) {
    const site = await startSiteWithUser(t, open);
    const { token: browser, id: browserId } = await site.addOwnSession();
    const { token: program, id: programId } = await site.addOwnSession({ kind: "Application" });
    const { key, id: keyId } = await site.addOwnKey(["read"]);
    site.queries.length = 0;
    return { ...site, browser, browserId, program, programId, key, keyId };
  }

  rule(
    `${engine}: "A session token is accepted as Authorization: Bearer, X-Api-Key or cookie session_token; API keys (bpk_…) as X-Api-Key or Bearer"`,
    async (t) => {
      const { kindOf, browser, program, key } = await prepare(t);
      assert.equal(await kindOf(withCookie(browser)), "Browser");
      assert.equal(await kindOf({ cookie: `style=dark; session_token=${browser}; a=b` }), "Browser");
      assert.equal(await kindOf(withBearer(browser)), "Browser");
      assert.equal(await kindOf({ "x-api-key": program }), "Application");
      assert.equal(await kindOf({ authorization: `bearer ${program}` }), "Application");
      assert.equal(await kindOf(withCookie(program)), "Application");
      assert.equal(await kindOf(withBearer(key)), "ApiKey");
      assert.equal(await kindOf({ "x-api-key": key }), "ApiKey");
      assert.equal(await kindOf(withCookie(key)), "nobody");
    },
  );

  test(`${engine}: a caller is a person, a credential, and what it may do`, async (t) => {
    const { call, userId, program, programId, key, keyId } = await prepare(t);
    const ofProgram = await call("GET", "/who", withBearer(program));
    const person = { userId, userName: "ada" };
    assert.deepEqual(ofProgram.json(), {
      ...person,
      kind: "Application",
      credentialId: programId,
      credentialName: "Test",
      scopes: ["panels", "publish", "read", "devices:read", "devices:control"],
    });
    const ofKey = await call("GET", "/who", { "x-api-key": key });
    assert.deepEqual(ofKey.json(), {
      ...person,
      kind: "ApiKey",
      credentialId: keyId,
      credentialName: "Test",
      scopes: ["read"],
    });
  });

  rule(`${engine}: text that cannot be a credential belongs to nobody, and the database is not asked`, async (t) => {
    const { kindOf, queries, browser } = await prepare(t);
    for (const secret of [
      "",
      "x",
      "tok_",
      `${browser}x`,
      browser.slice(1),
      `tik_${browser.slice(4)}`,
      "x".repeat(9_000),
    ]) {
      assert.equal(await kindOf(withBearer(secret)), "nobody", secret);
      assert.equal(await kindOf({ "x-api-key": secret }), "nobody", secret);
      assert.equal(await kindOf(withCookie(secret)), "nobody", secret);
    }
    assert.equal(await kindOf({}), "nobody");
    assert.equal(await kindOf({ cookie: `other_session_token=${browser}` }), "nobody");
    assert.deepEqual(queries, []);
    assert.equal(await kindOf(withBearer(newSecret("tok_"))), "nobody");
    assert.equal(await kindOf(withBearer(newSecret("bpk_"))), "nobody");
    assert.equal(queries.length, 2);
  });

  rule(`${engine}: of two credentials the one that was sent explicitly counts, even when it is wrong`, async (t) => {
    const { kindOf, browser, program, key } = await prepare(t);
    assert.equal(await kindOf({ ...withBearer(program), "x-api-key": key, ...withCookie(browser) }), "Application");
    assert.equal(await kindOf({ "x-api-key": key, ...withCookie(browser) }), "ApiKey");
    assert.equal(await kindOf({ ...withBearer("wrong"), ...withCookie(browser) }), "nobody");
    assert.equal(await kindOf({ "x-api-key": newSecret("bpk_"), ...withCookie(browser) }), "nobody");
    // Basic is for a proxy in front of us.
    assert.equal(await kindOf({ authorization: "Basic YTpi", ...withCookie(browser) }), "Browser");
  });

  rule(
    `${engine}: a page on another origin cannot act with the cookie; an explicit credential cannot come from such a page`,
    async (t) => {
      const { kindOf, browser, program } = await prepare(t);
      const foreign = { origin: "https://elsewhere.example", "sec-fetch-site": "cross-site" };
      const own = { origin: "http://localhost:8790", "sec-fetch-site": "same-origin" };
      assert.equal(await kindOf({ ...withCookie(browser), ...foreign }, "POST"), "foreign-page");
      assert.equal(await kindOf({ ...withCookie(browser), ...own }, "POST"), "Browser");
      assert.equal(await kindOf(withCookie(browser), "POST"), "Browser");
      assert.equal(await kindOf({ ...withBearer(program), ...foreign }, "POST"), "Application");
      // Reading too: some things happen on reading. On a subdomain, a page is of the same site and has the strict cookie.
      assert.equal(await kindOf({ ...withCookie(browser), ...foreign }), "foreign-page");
      const sameSite = { ...withCookie(browser), "sec-fetch-site": "same-site" };
      const mode = (mode: string, dest: string) => ({ "sec-fetch-mode": mode, "sec-fetch-dest": dest });
      for (const [how, dest] of [
        ["no-cors", "image"],
        ["cors", "empty"],
        ["navigate", "iframe"],
      ] as const) {
        assert.equal(await kindOf({ ...sameSite, ...mode(how, dest) }), "foreign-page", dest);
      }
      assert.equal(await kindOf({ ...sameSite, ...mode("navigate", "document") }), "Browser", "a link");
      assert.equal(await kindOf({ ...withCookie(browser), "sec-fetch-site": "none" }), "Browser", "a bookmark");
      assert.equal(
        await kindOf({ ...withCookie(browser), origin: "http://localhost:1234", upgrade: "websocket" }),
        "foreign-page",
      );
    },
  );

  rule(`${engine}: the database is asked once per second, however many ask at once`, async (t) => {
    const { kindOf, queries, clock, browser } = await prepare(t);
    const kinds = await Promise.all(Array.from({ length: 100 }, () => kindOf(withCookie(browser))));
    assert.deepEqual(new Set(kinds), new Set(["Browser"]));
    assert.equal(queries.length, 1);
    clock.nowMs += CALLER_LIFE_MS - 1;
    await kindOf(withCookie(browser));
    assert.equal(queries.length, 1);
    clock.nowMs += 1;
    await kindOf(withCookie(browser));
    assert.equal(queries.length, 2);
    clock.nowMs -= 3_600_000;
    await kindOf(withCookie(browser));
    assert.equal(queries.length, 3);
  });

  test(`${engine}: a session ends on time, to the millisecond, even when it was looked up a moment before`, async (t) => {
    const { kindOf, clock, addOwnSession } = await prepare(t);
    const { token, expiresAtMs } = await addOwnSession({ maxAgeS: 60 });
    clock.nowMs = expiresAtMs - 1;
    assert.equal(await kindOf(withBearer(token)), "Browser");
    clock.nowMs = expiresAtMs;
    assert.equal(await kindOf(withBearer(token)), "nobody");
  });

  rule(`${engine}: a forgotten credential is unknown at once, here and on the other instance`, async (t) => {
    const site = await prepare(t);
    const { database, browser, browserId, program } = site;
    const other = await site.startSecond();
    for (const { kindOf } of [site, other]) assert.equal(await kindOf(withBearer(browser)), "Browser");
    await database.durable.deleteFrom("sessions").where("id", "=", browserId).execute();
    await site.callers.forget([browserId]);
    assert.equal(await site.kindOf(withBearer(browser)), "nobody");
    // The in-process bus delivers in the next turn of the event loop, as inject does.
    await new Promise(setImmediate);
    assert.equal(await other.kindOf(withBearer(browser)), "nobody");
    assert.equal(await other.kindOf(withBearer(program)), "Application");
  });

  rule(
    `${engine}: an answer that was read before a credential was forgotten is neither cached nor given to later callers`,
    async (t) => {
      const { tables, database, browser, browserId } = await prepare(t);
      const reading = Promise.withResolvers<void>();
      const gate = Promise.withResolvers<void>();
      const held: KyselyPlugin = {
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          reading.resolve();
          await gate.promise;
          return result;
        },
      };
      const slow = { ...database, durable: database.durable.withPlugin(held) };
      const { callers, kindOf, queries } = await startSite({ ...tables, database: slow });
      const asked = kindOf(withBearer(browser));
      await reading.promise;
      await database.durable.deleteFrom("sessions").where("id", "=", browserId).execute();
      await callers.forget([browserId]);
      const askedLater = kindOf(withBearer(browser));
      await untilAsserted(() => assert.equal(queries.length, 2));
      gate.resolve();
      assert.equal(await asked, "Browser");
      assert.equal(await askedLater, "nobody");
      assert.equal(await kindOf(withBearer(browser)), "nobody");
    },
  );

  rule(`${engine}: without the bus, an ended session is unknown within a second`, async (t) => {
    assert.ok(CALLER_LIFE_MS <= 1_000);
    const { callers, kindOf, bus, clock, database, faults, browser, browserId } = await prepare(t);
    assert.equal(await kindOf(withBearer(browser)), "Browser");
    await bus.close();
    await database.durable.deleteFrom("sessions").where("id", "=", browserId).execute();
    clock.nowMs += CALLER_LIFE_MS;
    assert.equal(await kindOf(withBearer(browser)), "nobody");
    await callers.forget([browserId]);
    assert.equal(faults.length, 1);
  });

  test(`${engine}: the last use is written in the background, at most once per minute`, async (t) => {
    const tables = await openTables(t, open);
    const { database, clock } = tables;
    const userId = await addUser(database, { name: "ada" });
    const madeAtMs = clock.nowMs;
    const { token } = await addSession(database, userId, madeAtMs);
    const { key } = await addKey(database, userId, madeAtMs);
    const written = async () => {
      const [session] = await database.durable.selectFrom("sessions").select("last_used_at_ms").execute();
      const [apiKey] = await database.durable.selectFrom("api_keys").select("last_used_at_ms").execute();
      return [session?.last_used_at_ms, apiKey?.last_used_at_ms];
    };
    /** What an instance has written when it closes. */
    async function useAt(nowMs: number) {
      clock.nowMs = nowMs;
      const { kindOf, callers, queries } = await startSite(tables);
      await kindOf(withBearer(token));
      await kindOf(withBearer(key));
      assert.ok(!queries.includes("UpdateQueryNode"), "no request waits for it");
      await callers.close();
    }
    await useAt(madeAtMs + LAST_USE_EVERY_MS - 1);
    assert.deepEqual(await written(), [madeAtMs, madeAtMs + LAST_USE_EVERY_MS - 1]);
    const laterMs = madeAtMs + LAST_USE_EVERY_MS;
    await useAt(laterMs);
    assert.deepEqual(await written(), [laterMs, madeAtMs + LAST_USE_EVERY_MS - 1]);
    await useAt(laterMs + 3 * LAST_USE_EVERY_MS);
    assert.deepEqual(await written(), [laterMs + 3 * LAST_USE_EVERY_MS, laterMs + 3 * LAST_USE_EVERY_MS]);
  });
}
