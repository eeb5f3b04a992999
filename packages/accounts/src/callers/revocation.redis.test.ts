import assert from "node:assert/strict";
import { test } from "node:test";
import { openBus } from "@backplane/kit/bus";
import { testRedisUrl, uniquePrefix } from "../../../../scripts/services/index.ts";
import { untilAsserted } from "../../../../scripts/testing/until.ts";
import { openFreshSqlite } from "./open-sqlite.suite.ts";
import { addKey, addSession, addUser, openTables, startSite, withBearer } from "./site.suite.ts";

test("a session or key that is ended on one instance is refused on the other, over Redis, while its clock does not move", async (t) => {
  const tables = await openTables(t, openFreshSqlite);
  const { database, clock, ends } = tables;
  const where = { url: await testRedisUrl(), prefix: uniquePrefix(), now: () => clock.nowMs, onFault: () => {} };
  const buses = [await openBus(where), await openBus(where)] as const;
  ends.push(async () => {
    for (const bus of buses) await bus.close();
  });
  const one = await startSite({ ...tables, bus: buses[0] });
  const other = await startSite({ ...tables, bus: buses[1] });
  const userId = await addUser(database, { name: "ada" });
  const own = await addSession(database, userId, clock.nowMs);
  const lost = await addSession(database, userId, clock.nowMs, { kind: "Application" });
  const { key, id: keyId } = await addKey(database, userId, clock.nowMs);
  for (const { kindOf } of [one, other]) {
    assert.equal(await kindOf(withBearer(lost.token)), "Application");
    assert.equal(await kindOf(withBearer(key)), "ApiKey");
  }

  const told: string[] = [];
  const lasting = { userId, ownerId: userId };
  for (const access of [
    { ...lasting, kind: "Application", credentialId: lost.id } as const,
    { ...lasting, kind: "ApiKey", credentialId: keyId } as const,
    { ...lasting, kind: "Browser", credentialId: own.id } as const,
  ]) {
    assert.ok(await other.callers.followAccess(access, () => void told.push(access.kind)));
  }

  const ended = await one.call("DELETE", `/auth/sessions/${lost.id}`, withBearer(own.token));
  assert.equal(ended.statusCode, 204);
  const revoked = await one.call("DELETE", `/auth/api-keys/${keyId}`, withBearer(own.token));
  assert.equal(revoked.statusCode, 204);
  // The clock does not move, so the other instance's cache would never expire: only the message ends it.
  for (const secret of [lost.token, key]) {
    const isRefused = async () => assert.equal(await other.kindOf(withBearer(secret)), "nobody");
    await untilAsserted(isRefused);
  }
  // Nor is lasting access checked without a message here.
  const haveEnded = () => assert.deepEqual(told.toSorted(), ["ApiKey", "Application"]);
  await untilAsserted(haveEnded);
  assert.equal(await other.kindOf(withBearer(own.token)), "Browser");
});
