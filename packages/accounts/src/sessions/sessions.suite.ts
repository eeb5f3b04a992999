import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { SESSION_LIMITS, type Session } from "@backplane/contract/accounts";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import {
  ADDRESS,
  addSession,
  addUser,
  type OpenTestDatabase,
  startSiteWithUser,
  withBearer,
  withCookie,
} from "../callers/site.suite.ts";
import { lockUser, userLock } from "../users/users.ts";
import { sessionToCreate, sweepSessions } from "./store.ts";

/** Sessions as their person sees and ends them, on a real engine. */
export function testSessions(engine: string, open: OpenTestDatabase): void {
  const rule = ruleTest(engine);
  async function prepare(t: TestContext) {
    const site = await startSiteWithUser(t, open);
    const own = await site.addOwnSession({ program: "Firefox on Windows", name: "Desk" });
    const me = withCookie(own.token);
    const listed = async (headers: Record<string, string> = me) =>
      ((await site.call("GET", "/auth/sessions", headers)).json() as { sessions: Session[] }).sessions;
    return { ...site, own, me, listed };
  }

  test(`${engine}: GET /auth/sessions lists one's own sessions, the last used first, with everything needed to recognise them`, async (t) => {
    const { database, clock, userId, own, listed, call, me, addOwnSession } = await prepare(t);
    clock.nowMs += 5_000;
    const more = { kind: "Application", name: "Layout checker" } as const;
    const program = await addOwnSession(more);
    await database.durable
      .updateTable("sessions")
      .set({ refused_address: "198.51.100.9", refused_at_ms: clock.nowMs })
      .where("id", "=", program.id)
      .execute();
    const ended = await addSession(database, userId, clock.nowMs - 10_000, { maxAgeS: 1 });
    const stranger = await addUser(database, { name: "eve" });
    await addSession(database, stranger, clock.nowMs);
    assert.deepEqual(await listed(), [
      {
        ...{ id: program.id, kind: "Application", name: "Layout checker", program: null, address: ADDRESS },
        created_at: "2026-07-28T14:30:05.000Z",
        last_used_at: "2026-07-28T14:30:05.000Z",
        expires_at: "2026-07-29T14:30:05.000Z",
        current: false,
        refused: { address: "198.51.100.9", at: "2026-07-28T14:30:05.000Z" },
      },
      {
        ...{ id: own.id, kind: "Browser", name: "Desk", program: "Firefox on Windows", address: ADDRESS },
        created_at: "2026-07-28T14:30:00.000Z",
        last_used_at: "2026-07-28T14:30:00.000Z",
        expires_at: "2026-07-29T14:30:00.000Z",
        current: true,
        refused: null,
      },
    ]);
    const response = await call("GET", "/auth/sessions", me);
    assert.equal(response.headers["cache-control"], "no-store");
    assert.doesNotMatch(response.body, new RegExp(`${ended.id}|tok_`));
    const byProgram = await listed(withBearer(program.token));
    assert.deepEqual(
      byProgram.map(({ current }) => current),
      [true, false],
    );
  });

  test(`${engine}: PATCH /auth/sessions/{id} renames a session of one's own`, async (t) => {
    const { database, clock, own, me, call, listed, addOwnSession } = await prepare(t);
    const program = await addOwnSession({ kind: "Application" });
    // A program could call itself a browser.
    const byProgram = await call("PATCH", `/auth/sessions/${program.id}`, withBearer(program.token), {
      name: "Firefox",
    });
    assert.equal(byProgram.json().code, "browser-session-needed");
    const named = await call("PATCH", `/auth/sessions/${own.id}`, me, { name: "  Laptop \n in the lab " });
    assert.equal(named.statusCode, 200);
    assert.equal((named.json() as Session).name, "Laptop   in the lab");
    assert.equal((await listed())[0]?.name, "Laptop   in the lab");
    for (const name of ["", " \n ", "x".repeat(SESSION_LIMITS.maxNameLength + 1)]) {
      const refused = await call("PATCH", `/auth/sessions/${own.id}`, me, { name });
      assert.equal(refused.statusCode, 422);
      assert.equal(refused.json().errors[0].pointer, "/name");
    }
    const stranger = await addUser(database, { name: "eve" });
    const hers = await addSession(database, stranger, clock.nowMs);
    for (const id of [hers.id, "unknown"]) {
      assert.equal((await call("PATCH", `/auth/sessions/${id}`, me, { name: "x" })).statusCode, 404);
    }
  });

  test(`${engine}: DELETE /auth/sessions/{id} ends a session of one's own at once on every instance, and nobody else's`, async (t) => {
    const { database, clock, me, call, kindOf, listed, addOwnSession, startSecond } = await prepare(t);
    const other = await startSecond();
    const lost = await addOwnSession({ kind: "Application" });
    for (const ask of [kindOf, other.kindOf]) assert.equal(await ask(withBearer(lost.token)), "Application");
    const ended = await call("DELETE", `/auth/sessions/${lost.id}`, me);
    assert.deepEqual([ended.statusCode, ended.body, ended.headers["cache-control"]], [204, "", "no-store"]);
    assert.equal(await kindOf(withBearer(lost.token)), "nobody");
    await new Promise(setImmediate);
    assert.equal(await other.kindOf(withBearer(lost.token)), "nobody");
    assert.equal((await listed()).length, 1);
    const stranger = await addUser(database, { name: "eve" });
    const hers = await addSession(database, stranger, clock.nowMs);
    for (const id of [hers.id, lost.id, "unknown"]) {
      const refused = await call("DELETE", `/auth/sessions/${id}`, me);
      assert.deepEqual([refused.statusCode, refused.json().code], [404, "not-found"]);
    }
    assert.equal(await kindOf(withBearer(hers.token)), "Browser");
  });

  test(`${engine}: DELETE /auth/sessions ends all others of both kinds, and leaves API keys`, async (t) => {
    const { me, own, call, kindOf, addOwnSession, addOwnKey } = await prepare(t);
    const others = [await addOwnSession(), await addOwnSession({ kind: "Application" })];
    const { key } = await addOwnKey();
    for (const { token } of others) await kindOf(withBearer(token));
    const ended = await call("DELETE", "/auth/sessions", me);
    assert.deepEqual([ended.statusCode, ended.json()], [200, { ended: 2 }]);
    for (const { token } of others) assert.equal(await kindOf(withBearer(token)), "nobody");
    assert.equal(await kindOf(withBearer(own.token)), "Browser");
    assert.equal(await kindOf(withBearer(key)), "ApiKey");
  });

  rule(
    `${engine}: an API key can neither list nor end sessions; without a credential it is 401; a foreign page is refused`,
    async (t) => {
      const { own, me, call, kindOf, addOwnKey } = await prepare(t);
      const { key } = await addOwnKey();
      const one = `/auth/sessions/${own.id}`;
      const renamed = await call("PATCH", one, { "x-api-key": key }, { name: "x" });
      assert.equal(renamed.json().code, "browser-session-needed");
      for (const ask of [
        (headers: Record<string, string>) => call("GET", "/auth/sessions", headers),
        (headers: Record<string, string>) => call("DELETE", one, headers),
        (headers: Record<string, string>) => call("DELETE", "/auth/sessions", headers),
      ]) {
        const byKey = await ask({ "x-api-key": key });
        assert.deepEqual([byKey.statusCode, byKey.json().code], [403, "session-needed"]);
        const byNobody = await ask({});
        assert.deepEqual([byNobody.statusCode, byNobody.json().code], [401, "not-signed-in"]);
        assert.equal(byNobody.headers["www-authenticate"], "Bearer");
      }
      const forged = await call("DELETE", one, { ...me, origin: "https://elsewhere.example" });
      assert.deepEqual([forged.statusCode, forged.json().code], [403, "foreign-page"]);
      assert.equal(await kindOf(me), "Browser");
    },
  );

  rule(
    `${engine}: a page on another origin can end sessions with a token of its own, never with the cookie`,
    async (t) => {
      const { own, me, call, kindOf, addOwnSession } = await prepare(t);
      const foreign = { origin: "https://elsewhere.example", "sec-fetch-site": "cross-site" };
      const ends = [["DELETE", `/auth/sessions/${own.id}`] as const, ["DELETE", "/auth/logout"] as const];
      for (const [method, path] of [...ends, ["POST", "/auth/logout"] as const]) {
        const forged = await call(method, path, { ...me, ...foreign });
        assert.deepEqual([forged.statusCode, forged.json().code], [403, "foreign-page"]);
      }
      assert.equal(await kindOf(me), "Browser");
      const { token } = await addOwnSession({ kind: "Application" });
      for (const [method, path] of ends) {
        assert.equal((await call(method, path, { ...withBearer(token), ...foreign })).statusCode, 204);
      }
      for (const headers of [me, withBearer(token)]) assert.equal(await kindOf(headers), "nobody");
    },
  );

  test(`${engine}: an account has at most ${SESSION_LIMITS.maxPerUserAndKind} sessions: the longest unused one ends, however many begin at once`, async (t) => {
    const { database, clock, userId, own, kindOf } = await prepare(t);
    const row = await database.durable.selectFrom("sessions").selectAll().where("id", "=", own.id).executeTakeFirst();
    assert.ok(row);
    const many = Array.from({ length: SESSION_LIMITS.maxPerUserAndKind - 1 }, (_, i) => ({
      ...row,
      id: `s${i}`,
      token_hash: `h${i}`,
      last_used_at_ms: row.last_used_at_ms + 1 + i,
    }));
    await database.durable.insertInto("sessions").values(many).execute();
    clock.nowMs += 60_000;
    const newSession = { userId, kind: "Browser", name: "New", program: null, address: "", maxAgeS: 60 } as const;
    const ended = await Promise.all(
      Array.from({ length: 5 }, () =>
        (async () => {
          const { makeRoom, insert } = sessionToCreate(database.durable, newSession, clock.nowMs);
          const [, gaveWay] = await database.batch([userLock(database.durable, userId), makeRoom, insert]);
          return gaveWay.rows.map(({ id }) => id);
        })(),
      ),
    );
    assert.deepEqual(new Set(ended.flat()), new Set([own.id, "s0", "s1", "s2", "s3"]));
    const { count } = await database.durable
      .selectFrom("sessions")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    assert.equal(count, SESSION_LIMITS.maxPerUserAndKind);
    assert.equal(await kindOf(withBearer(own.token)), "nobody");
  });

  test(`${engine}: ending all other sessions also ends one that is being created at that moment`, async (t) => {
    const { database, sessions, clock, userId, own } = await prepare(t);
    const [made, mayEnd] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
    const making = database.durable.transaction().execute(async (transaction) => {
      await lockUser(transaction, userId);
      made.resolve((await addSession({ ...database, durable: transaction }, userId, clock.nowMs)).id);
      await mayEnd.promise;
    });
    const id = await made.promise;
    const ending = sessions.endOthers(userId, own.id);
    // A call that does not wait has finished by then.
    await Promise.race([ending, sleep(100)]);
    mayEnd.resolve();
    await making;
    assert.ok((await ending).includes(id));
    const left = await database.durable.selectFrom("sessions").select("id").where("user_id", "=", userId).execute();
    assert.deepEqual(left, [{ id: own.id }]);
  });

  test(`${engine}: an id that no session can have is 400 or 404`, async (t) => {
    const { call, me } = await prepare(t);
    for (const id of ["%00", "a%00b", "%F0%9F%98%80", "99999999999999999999"]) {
      for (const [method, body] of [["DELETE"], ["PATCH", { name: "x" }]] as const) {
        const { statusCode } = await call(method, `/auth/sessions/${id}`, me, body);
        assert.ok(statusCode === 400 || statusCode === 404, `${method} ${id} ${statusCode}`);
      }
    }
  });

  test(`${engine}: the sweep deletes ended sessions and nothing else`, async (t) => {
    const { database, clock, own, addOwnSession } = await prepare(t);
    const row = await database.durable.selectFrom("sessions").selectAll().where("id", "=", own.id).executeTakeFirst();
    assert.ok(row);
    const over = Array.from({ length: 1_200 }, (_, i) => ({
      ...row,
      id: `s${i}`,
      token_hash: `h${i}`,
      expires_at_ms: clock.nowMs - i,
    }));
    await database.durable.insertInto("sessions").values(over).execute();
    await addOwnSession({ maxAgeS: 1 });
    assert.equal(await sweepSessions(database, clock.nowMs), 1_200);
    assert.equal(await sweepSessions(database, clock.nowMs), 0);
    clock.nowMs += 1_000;
    assert.equal(await sweepSessions(database, clock.nowMs), 1);
    const left = await database.durable.selectFrom("sessions").select("id").execute();
    assert.deepEqual(left, [{ id: own.id }]);
  });
}
