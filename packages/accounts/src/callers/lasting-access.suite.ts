import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import type { Access } from "@backplane/kit/callers";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import { untilAsserted } from "../../../../scripts/testing/until.ts";
import { CHECK_EVERY_MS } from "./lasting-access.ts";
import { type OpenTestDatabase, startSiteWithUser } from "./site.suite.ts";

const HOUR_S = 3_600;

/** What goes on after its request, on a real engine. */
export function testLastingAccess(engine: string, open: OpenTestDatabase): void {
  const rule = ruleTest(engine);
  async function prepare(t: TestContext) {
    const site = await startSiteWithUser(t, open, { checkEveryMs: 5 });
    const { userId, database } = site;
    const ended: string[] = [];
    const follow = (name: string, access: Access) => site.callers.followAccess(access, () => void ended.push(name));
    const ofSession = (credentialId: string, ownerId = userId): Access => ({
      ...{ userId, kind: "Browser", credentialId, ownerId },
    });
    async function organisation(): Promise<string> {
      const id = randomUUID();
      const values = { id, name: id.slice(0, 8), display_name: "", created_at_ms: 1 };
      await database.durable.insertInto("organisations").values(values).execute();
      const membership = { organisation_id: id, user_id: userId, role: "member", added_at_ms: 1 } as const;
      await database.durable.insertInto("memberships").values(membership).execute();
      return id;
    }
    return { ...site, ended, follow, ofSession, organisation };
  }

  test(`${engine}: access ends with its session, key, membership, organisation or account, or when the session expires, also without a message`, async (t) => {
    assert.ok(
      CHECK_EVERY_MS <= 500,
      "a check that begins just before the end is followed by another within the second",
    );
    const { database, clock, addOwnSession, addOwnKey, userId, ended, follow, ofSession, organisation } =
      await prepare(t);
    const [removed, kept] = [await addOwnSession(), await addOwnSession()];
    const expiring = await addOwnSession({ maxAgeS: HOUR_S });
    const key = await addOwnKey();
    const [left, dissolved] = [await organisation(), await organisation()];
    const accesses: [string, Access][] = [
      ["session", ofSession(removed.id)],
      ["expiring session", ofSession(expiring.id)],
      ["key", { userId, ownerId: userId, kind: "ApiKey", credentialId: key.id }],
      ["membership", ofSession(kept.id, left)],
      ["organisation", ofSession(kept.id, dissolved)],
      ["account", ofSession(kept.id)],
    ];
    for (const [name, access] of accesses) assert.ok(await follow(name, access), name);

    const { durable } = database;
    const ends: Record<string, () => Promise<unknown>> = {
      session: () => durable.deleteFrom("sessions").where("id", "=", removed.id).execute(),
      "expiring session": async () => {
        clock.nowMs += HOUR_S * 1_000;
      },
      key: () => durable.deleteFrom("api_keys").where("id", "=", key.id).execute(),
      membership: () => durable.deleteFrom("memberships").where("organisation_id", "=", left).execute(),
      organisation: () => durable.deleteFrom("organisations").where("id", "=", dissolved).execute(),
      account: () => durable.deleteFrom("users").where("id", "=", userId).execute(),
    };
    for (const [at, [name, access]] of accesses.entries()) {
      assert.deepEqual(ended.length, at, `${ended} have ended before ${name}`);
      await ends[name]?.();
      await untilAsserted(() => assert.equal(ended[at], name));
      assert.equal(await follow("late", access), undefined, name);
    }
    assert.equal(ended.length, accesses.length);
  });

  rule(`${engine}: a key, session or membership of somebody else gives no access`, async (t) => {
    const { addOwnSession, addOwnKey, userId, follow, ofSession } = await prepare(t);
    const [session, key] = [await addOwnSession(), await addOwnKey()];
    for (const access of [
      ofSession(key.id),
      ofSession(randomUUID()),
      ofSession(session.id, randomUUID()),
      { userId, ownerId: userId, kind: "ApiKey", credentialId: session.id } as const,
    ]) {
      assert.equal(await follow("never", access), undefined, JSON.stringify(access));
    }
  });

  rule(
    `${engine}: what is not followed any more is not told, and many followers of one access need one query`,
    async (t) => {
      const { database, addOwnSession, addOwnKey, userId, ended, follow, ofSession, queries } = await prepare(t);
      const [session, key] = [await addOwnSession(), await addOwnKey()];
      const keyAccess: Access = { userId, ownerId: userId, kind: "ApiKey", credentialId: key.id };
      const stop = await follow("stopped", ofSession(session.id));
      await follow("first", ofSession(session.id));
      queries.length = 0;
      for (let i = 0; i < 100; i += 1) (await follow("more", ofSession(session.id)))?.();
      assert.ok(queries.length < 100, `${queries.length} queries`);
      await follow("key", keyAccess);
      stop?.();
      await database.durable.deleteFrom("sessions").where("id", "=", session.id).execute();
      await untilAsserted(() => assert.deepEqual(ended, ["first"]));
    },
  );
}
