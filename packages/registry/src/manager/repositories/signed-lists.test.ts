import assert from "node:assert/strict";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { newSigningKey } from "../../signing/keys.ts";
import { NOW_MS, openSite } from "../manager.suite.ts";
import { openFileServer, putRepository, type RepositoryOptions } from "../repository-server.suite.ts";

const ID = "org.example.sample";
const NOW_S = NOW_MS / 1_000;
const DAY_S = 24 * 3_600;
const key = newSigningKey();
const signed = (counter: number, more: Partial<NonNullable<RepositoryOptions["sign"]>> = {}): RepositoryOptions => ({
  updateTimestamp: 1_800_000_000 + counter,
  sign: { key, counter, issued: NOW_S, ...more },
});

async function visited() {
  const server = await openFileServer();
  const site = await openSite();
  const manager = await site.open();
  await manager.repositories.add(putRepository(server, [{ version: "1.0" }], signed(10)));
  const disposal = new AsyncDisposableStack();
  disposal.use(server);
  disposal.use(site);
  return { server, site, manager, [Symbol.asyncDispose]: () => disposal.disposeAsync() };
}

async function refusedBecause(at: Awaited<ReturnType<typeof visited>>, reason: string) {
  const manager = await at.site.open();
  const [refreshed] = await manager.refresh();
  assert.deepEqual(
    [refreshed?.state, refreshed?.fault?.code, refreshed?.fault?.details.reason],
    ["refused", "index-refused", reason],
  );
  assert.equal(refreshed?.fault?.exitCode, 6);
  const [failed] = await manager.install(ID);
  assert.equal(failed?.fault?.code, "index-refused");
  assert.deepEqual(await at.site.files(), {});
}

test("the first visit remembers the keys; a later index by the same key is accepted", async () => {
  await using at = await visited();
  assert.deepEqual(
    (await at.manager.trustedKeys()).map(({ keys, counter }) => [keys.map(({ id }) => id), counter]),
    [[[key.id], 10]],
  );
  putRepository(at.server, [{ version: "1.0" }, { version: "2.0" }], signed(11));
  assert.deepEqual(
    (await at.manager.refresh()).map(({ state }) => state),
    ["new"],
  );
  assert.equal((await at.manager.trustedKeys())[0]?.counter, 11);
  assert.deepEqual(
    (await at.manager.repositories.list()).map(({ signed, keys }) => [signed, keys]),
    [[true, [key.id]]],
  );
});

test("who has seen the list in version 1 of the schema accepts the one in version 2, also of the same counter", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const later = { identifier: "org.example.later", metadata: { license: "GPL-3.0-or-later" } };
  const url = putRepository(server, [{ version: "1.0" }, later], { ...signed(10), byVersion: true });
  const negotiate = server.instead.get("/repository.json");
  assert.ok(negotiate);
  server.instead.delete("/repository.json");
  const manager = await site.open();
  const added = await manager.repositories.add(url);
  assert.deepEqual([added.packages, added.warnings.map(({ rule }) => rule)], [1, ["version-1-only"]]);
  await assert.rejects(manager.info("org.example.later"), { code: "package-unknown" });

  server.instead.set("/repository.json", negotiate);
  const [refreshed] = await manager.refresh();
  assert.deepEqual([refreshed?.state, refreshed?.packages, refreshed?.warnings], ["new", 2, []]);
  assert.equal((await manager.install("org.example.later"))[0]?.state, "done");
});

test("an unsigned index after a signed one is refused", async () => {
  await using at = await visited();
  putRepository(at.server, [{ version: "6.6" }], { updateTimestamp: 1_900_000_000 });
  await refusedBecause(at, "unsigned");
});

test("rollback: an index that is older than the one seen is refused, also when the cache was emptied", async () => {
  await using at = await visited();
  putRepository(at.server, [{ version: "0.9" }], signed(9));
  await refusedBecause(at, "rollback");
  await rm(join(at.site.root, ".backplane", "cache"), { recursive: true });
  await refusedBecause(at, "rollback");
});

test("rollback is refused after the repository was removed and added again", async () => {
  await using at = await visited();
  const { url = "" } = (await at.manager.repositories.list())[0] ?? {};
  await at.manager.repositories.remove(url);
  putRepository(at.server, [{ version: "0.9" }], signed(9));
  await assert.rejects(at.manager.repositories.add(url), { code: "index-refused" });
});

test("freeze: an index that has expired is refused although nothing in it changed", async () => {
  await using at = await visited();
  at.site.clock.nowMs += 8 * DAY_S * 1_000;
  await refusedBecause(at, "expired");
});

test("offline, an expired index is still searched, and nothing is installed from it", async () => {
  await using at = await visited();
  at.site.clock.nowMs += 8 * DAY_S * 1_000;
  const manager = await at.site.open({ offline: true });
  assert.equal((await manager.search("sample")).length, 1);
  const [refreshed] = await manager.refresh();
  assert.match(refreshed?.warnings[0]?.message ?? "", /has expired/);
  const [failed] = await manager.install(ID);
  assert.deepEqual([failed?.fault?.code, failed?.fault?.details.reason], ["index-refused", "expired"]);
});

test("tampering: another key, or other bytes under the same signature", async () => {
  await using at = await visited();
  putRepository(at.server, [{ version: "6.6" }], signed(11, { key: newSigningKey() }));
  await refusedBecause(at, "unknown-key");
  putRepository(at.server, [{ version: "2.0" }], signed(11));
  const good = String(at.server.files.get("/repository.json"));
  // Always a different digit: the original depends on the server's port.
  const tampered = good.replace(/("sha256": ")(.)/, (_, before, digit) => `${before}${digit === "f" ? "0" : "f"}`);
  at.server.files.set("/repository.json", Buffer.from(tampered));
  await refusedBecause(at, "bad-signature");
});

test("tampering: another packages.json than the signed one refuses the whole repository", async () => {
  await using at = await visited();
  putRepository(at.server, [{ version: "2.0" }], signed(11));
  at.server.files.set("/packages.json", Buffer.from('{"packages":[]}'));
  const [refreshed] = await at.manager.refresh();
  assert.equal(refreshed?.fault?.code, "packages-sha256");
  // The signature was valid, so older statements are rejected from now on.
  putRepository(at.server, [{ version: "1.0" }], signed(10));
  await refusedBecause(at, "rollback");
});

test("two different indexes with the same counter are refused", async () => {
  await using at = await visited();
  putRepository(at.server, [{ version: "6.6" }], signed(10));
  await refusedBecause(at, "changed-without-counting");
});

test("keys rotate: an index that the old key signs together with the new one moves the trust", async () => {
  await using at = await visited();
  const next = newSigningKey();
  putRepository(at.server, [{ version: "2.0" }], signed(11, { key: next, alsoSignedBy: [key] }));
  assert.equal((await at.manager.refresh())[0]?.state, "new");
  putRepository(at.server, [{ version: "3.0" }], signed(12, { key: next }));
  assert.equal((await at.manager.refresh())[0]?.state, "new");
  putRepository(at.server, [{ version: "6.6" }], signed(13));
  await refusedBecause(at, "unknown-key");
});

test("after forgetting its keys the next visit is the first", async () => {
  await using at = await visited();
  putRepository(at.server, [{ version: "2.0" }], signed(1, { key: newSigningKey() }));
  await refusedBecause(at, "unknown-key");
  await at.manager.forgetKeys("Tools");
  assert.equal((await at.manager.refresh())[0]?.state, "new");
  assert.equal((await at.manager.trustedKeys())[0]?.counter, 1);
});

test("an index that is rejected on the first visit is not remembered", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const manager = await site.open();
  const url = putRepository(server, [{}], signed(5, { issued: NOW_S - 30 * DAY_S }));
  await assert.rejects(manager.repositories.add(url), { code: "index-refused" });
  putRepository(server, [{}], signed(4));
  await manager.repositories.add(url);
});

test("damaged trusted keys do not cause new keys to be trusted", async () => {
  await using at = await visited();
  const folder = join(at.site.root, ".backplane", "trust");
  for (const name of await readdir(folder)) await writeFile(join(folder, name), "{ half");
  putRepository(at.server, [{ version: "6.6" }], signed(1, { key: newSigningKey() }));
  await refusedBecause(at, "unknown-key");
});
