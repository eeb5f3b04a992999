import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openSite } from "./manager.suite.ts";
import { openFileServer, putRepository } from "./repository-server.suite.ts";

test("two managers at once on one root: every change is complete, and none is lost", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const names = Array.from({ length: 8 }, (_, index) => `org.example.p${index}`);
  const url = putRepository(
    server,
    names.map((identifier) => ({ identifier })),
  );
  const one = await site.open();
  await one.repositories.add(url);
  const two = await site.open();
  const [left, right] = await Promise.all([one.install(names), two.install(names.toReversed())]);
  assert.deepEqual(
    [...left, ...right].filter(({ fault }) => fault),
    [],
  );
  assert.deepEqual((await one.list()).map(({ identifier }) => identifier).sort(), names);
  for (const { missing, altered, extra } of await two.verify())
    assert.deepEqual([missing, altered, extra], [[], [], []]);
});

test("two managers add repositories at once: both are added; the same one is added once", async () => {
  await using first = await openFileServer();
  await using second = await openFileServer();
  await using site = await openSite();
  const [one, two] = [await site.open(), await site.open()];
  const urls = [putRepository(first, [{}]), putRepository(second, [{}])];
  await Promise.all([one.repositories.add(urls[0] ?? ""), two.repositories.add(urls[1] ?? "")]);
  assert.deepEqual((await one.repositories.list()).map(({ name }) => name).sort(), ["Tools", "Tools 2"]);
  await one.repositories.remove("Tools");
  const removed = urls.find((url) => url) ?? "";
  const known = (await one.repositories.list()).map(({ url }) => url);
  const missing = urls.find((url) => !known.includes(url)) ?? removed;
  const both = await Promise.allSettled([one.repositories.add(missing), two.repositories.add(missing)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
});

test("a package that another manager pinned or reinstalled meanwhile stays unchanged", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const id = "org.example.sample";
  const one = await site.open();
  await one.repositories.add(putRepository(server, [{ version: "1.0" }]));
  await one.install(id);
  putRepository(server, [{ version: "1.0" }, { version: "2.0" }], { updateTimestamp: 1_900_000_000 });
  const two = await site.open();
  const path = `/archives/${id}/0-2.0.zip`;
  server.instead.set(path, (_request, response) => {
    void two.pin(id).then(() => response.end(server.files.get(path)));
  });
  const other = await site.open();
  const [failed] = await other.update();
  assert.equal(failed?.fault?.code, "pinned");
  assert.equal((await other.list())[0]?.version, "1.0");
});

test("an update or removal by another manager during the download is not undone", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const [first, second] = [await site.open(), await site.open()];
  const id = "org.example.sample";
  await first.repositories.add(putRepository(server, [{ version: "1.0" }, { version: "2.0" }, { version: "3.0" }]));
  const archive = server.files.get(`/archives/${id}/0-2.0.zip`);
  for (const meanwhile of [() => second.install(`${id}@3.0`), () => second.uninstall(id)]) {
    await first.uninstall(id);
    assert.equal((await first.install(`${id}@1.0`))[0]?.state, "done");
    await rm(join(site.root, ".backplane", "cache", "archives"), { recursive: true });
    server.instead.set(`/archives/${id}/0-2.0.zip`, async (_request, response) => {
      await meanwhile();
      response.end(archive);
    });
    const [outcome] = await first.install(`${id}@2.0`);
    assert.equal(outcome?.fault?.code, "busy");
    assert.match(outcome?.fault?.message ?? "", /Nothing was changed\. Run the command again/);
  }
  assert.deepEqual(await first.list(), []);
});
