import assert from "node:assert/strict";
import { test } from "node:test";
import { REGISTRY_LIMITS, type RegistryKeys } from "@backplane/contract/registry";
import { ruleTest } from "../../../../../scripts/testing/rules.ts";
import { untilAsserted } from "../../../../../scripts/testing/until.ts";
import { SIGNING_LIMITS, type TrustedIndex } from "../../signing/signed-index.ts";
import { verifyIndex } from "../../signing/verify.ts";
import { openRegistry, published, type Stage, type UnderTest } from "../serving/registry-under-test.suite.ts";

const DAY_MS = 24 * 3_600_000;
const { announceKeyMs } = REGISTRY_LIMITS;

const post = (under: UnderTest, body?: object, user = "owner", at: { url: string } = under.first) =>
  fetch(`${at.url}/registry/keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${user}`, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });

async function states(response: Response): Promise<string[]> {
  return ((await response.json()) as RegistryKeys).keys.map(({ state }) => state).sort();
}

/** How a client that remembers `trusted` verifies the repository now. */
async function visit(under: UnderTest, trusted?: TrustedIndex, at: { url: string } = under.last) {
  const value = (await (await under.get("/registry/repository.json", {}, "GET", at)).json()) as Record<string, unknown>;
  const verified = verifyIndex(value, { trusted, nowS: Math.floor(under.clock.nowMs / 1_000) });
  assert.ok("statement" in verified, JSON.stringify(verified));
  return verified;
}

export function testKeys(stage: Stage): void {
  const rule = ruleTest(stage.name);
  test(`${stage.name}: the first start creates one key, whichever instance comes first; it signs the index`, async (t) => {
    const under = await openRegistry(t, stage);
    // One process cannot wait for its own lock on a file.
    const others = stage.name.startsWith("sqlite")
      ? [await under.start()]
      : await Promise.all([under.start(), under.start(), under.start()]);
    const { keys } = (await (await under.get("/registry/keys")).json()) as RegistryKeys;
    assert.deepEqual(
      keys.map(({ state }) => state),
      ["current"],
    );
    for (const at of [under.first, under.last, ...others]) {
      const { statement } = await visit(under, undefined, at);
      assert.deepEqual(statement.keys, [{ id: keys[0]?.id, key: keys[0]?.key }]);
    }
  });

  test(`${stage.name}: keys rotate in two steps; clients that visit at any time follow automatically`, async (t) => {
    const under = await openRegistry(t, stage);
    const before = await visit(under);
    const made = await post(under);
    assert.equal(made.status, 201);
    assert.deepEqual(await states(made), ["current", "next"]);
    const again = await post(under);
    assert.deepEqual([again.status, await states(again)], [200, ["current", "next"]], "asking twice makes one");
    const during = await visit(under, before.trust);
    assert.equal(during.statement.keys.length, 2);
    under.clock.nowMs += announceKeyMs;
    const promoted = await post(under, { promote: true });
    assert.deepEqual([promoted.status, await states(promoted)], [200, ["current", "retired"]]);
    const twice = await post(under, { promote: true });
    assert.deepEqual([twice.status, ((await twice.json()) as { code: string }).code], [422, "invalid-input"]);
    const after = await visit(under, during.trust);
    assert.deepEqual(after.statement.keys, [during.statement.keys[1]]);
    const late = await visit(under, before.trust);
    assert.deepEqual(late.trust, after.trust, "who missed the announcement is led there by the old key");
    await published(under, { identifier: "org.example.one" });
    await visit(under, late.trust);
  });

  test(`${stage.name}: of concurrent promotions exactly one happens; there is always one current key`, async (t) => {
    const under = await openRegistry(t, stage);
    const makes = await Promise.all([post(under), post(under, {}, "owner", under.last), post(under)]);
    assert.deepEqual(makes.map(({ status }) => status).sort(), [200, 200, 201]);
    under.clock.nowMs += announceKeyMs;
    const all = [under.first, under.last, under.first, under.last];
    const promotions = await Promise.all(all.map((at) => post(under, { promote: true }, "owner", at)));
    assert.deepEqual(promotions.map(({ status }) => status).sort(), [200, 422, 422, 422]);
    assert.deepEqual(await states(await under.get("/registry/keys")), ["current", "retired"]);
  });

  rule(
    `${stage.name}: the next key replaces the current one only after it was announced for long enough`,
    async (t) => {
      assert.equal(announceKeyMs, 7 * DAY_MS);
      const under = await openRegistry(t, stage);
      const before = await visit(under);
      const made = (await (await post(under)).json()) as RegistryKeys;
      const readyAt = new Date(under.clock.nowMs + announceKeyMs).toISOString();
      assert.deepEqual(
        made.keys.flatMap(({ ready_at }) => ready_at ?? []),
        [readyAt],
      );
      under.clock.nowMs += announceKeyMs - 1;
      const tries = await Promise.all(
        [under.first, under.last].map((at) => post(under, { promote: true }, "owner", at)),
      );
      for (const response of tries) {
        const { code, detail } = (await response.json()) as { code: string; detail: string };
        assert.deepEqual([response.status, code, detail.includes(readyAt)], [409, "key-too-new", true]);
      }
      assert.deepEqual(await states(await under.get("/registry/keys")), ["current", "next"]);
      under.clock.nowMs += 1;
      assert.equal((await post(under, { promote: true })).status, 200);
      assert.deepEqual((await visit(under, before.trust)).statement.keys.length, 1);
    },
  );

  rule(`${stage.name}: only the owner of the instance rotates keys; private keys are never sent`, async (t) => {
    const under = await openRegistry(t, stage);
    assert.equal((await fetch(`${under.first.url}/registry/keys`, { method: "POST" })).status, 401);
    assert.equal((await post(under, undefined, "ada")).status, 403);
    assert.equal((await post(under, { promote: "yes" })).status, 422);
    assert.ok((await post(under, { other: 1 })).ok, "an unknown key is ignored");
    const rows = await under.first.database.durable.selectFrom("registry_keys").select("private_key").execute();
    assert.equal(rows.length, 2);
    const shown = await Promise.all(
      ["/registry/keys", "/registry/repository.json", "/openapi.json"].map(async (path) =>
        (await under.get(path)).text(),
      ),
    );
    const everything = [...shown, ...under.lines].join("\n");
    for (const { private_key } of rows) assert.ok(!everything.includes(private_key));
  });

  test(`${stage.name}: a statement is renewed after a day, with a new counter and before it expires`, async (t) => {
    const under = await openRegistry(t, stage);
    await published(under, { identifier: "org.example.one" });
    const before = await visit(under);
    under.clock.nowMs += DAY_MS - 1_000;
    await untilAsserted(async () =>
      assert.equal((await visit(under, before.trust)).statement.counter, before.statement.counter),
    );
    under.clock.nowMs += 2_000;
    // Every instance looks every two seconds of the real clock; one of them does it.
    const renewed = await untilAsserted(async () => {
      const now = await visit(under, before.trust);
      assert.equal(now.statement.counter, before.statement.counter + 1);
      return now;
    });
    assert.equal(renewed.statement.issued, Math.floor(under.clock.nowMs / 1_000));
    assert.equal(renewed.statement.expires, renewed.statement.issued + SIGNING_LIMITS.lifeS);
    assert.deepEqual(renewed.statement.packages, before.statement.packages);
  });

  rule(
    `${stage.name}: a restart with other settings raises the counter: clients see a later index, not a changed one`,
    async (t) => {
      const under = await openRegistry(t, stage);
      await published(under, { identifier: "org.example.one" });
      const before = await visit(under);
      await under.first.stop();
      await under.last.stop();
      const moved = await under.start({ baseUrl: "https://moved.example.org" });
      const after = await visit(under, before.trust, moved);
      assert.ok(after.statement.counter > before.statement.counter);
      assert.notEqual(after.statement.packages.sha256, before.statement.packages.sha256, "addresses are in it");
      const timestampAt = async (at: { url: string }) => {
        const response = await under.get("/registry/repository.json", {}, "GET", at);
        return ((await response.json()) as { packages: { update_timestamp: number } }).packages.update_timestamp;
      };
      const movedAt = await timestampAt(moved);
      await moved.stop();
      const same = await under.start({ baseUrl: "https://moved.example.org" });
      assert.equal(await timestampAt(same), movedAt, "nothing changed, nobody needs to fetch");
    },
  );
}
