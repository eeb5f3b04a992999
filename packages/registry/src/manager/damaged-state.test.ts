import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { newSigningKey } from "../signing/keys.ts";
import { NOW_MS, openSite } from "./manager.suite.ts";
import { openFileServer, putRepository } from "./repository-server.suite.ts";

const ID = "org.example.sample";

for (const text of ["[]", "null", '{"repositories":{}}', '{"repositories":[7]}', '{"repositories":[{"name":"x"}]}']) {
  test(`repositories.json that is ${text} is reported, and not overwritten`, async () => {
    await using server = await openFileServer();
    await using site = await openSite();
    const manager = await site.open();
    const file = join(site.root, ".backplane", "repositories.json");
    await writeFile(file, text);
    await assert.rejects(manager.repositories.list(), { code: "bad-file", message: /repositories\.json .* delete it/ });
    await assert.rejects(manager.repositories.add(putRepository(server, [{}])), { code: "bad-file" });
    assert.equal(await readFile(file, "utf8"), text);
  });
}

test("trusted keys that cannot be read are reported with the file's name and the next step", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const manager = await site.open();
  const sign = { key: newSigningKey(), counter: 1, issued: NOW_MS / 1_000 };
  const { id } = await manager.repositories.add(putRepository(server, [{}], { sign }));
  const file = join(site.root, ".backplane", "trust", `${id}.json`);
  await writeFile(file, "garbage");
  const [refreshed] = await manager.refresh();
  assert.equal(refreshed?.fault?.code, "index-refused");
  assert.ok(refreshed?.fault?.message.startsWith(file));
  assert.match(refreshed?.fault?.message ?? "", /forget its keys/);
});

test("an invalid lock file is reported with its name and the next step", async () => {
  await using site = await openSite();
  const manager = await site.open();
  const file = join(site.root, ".backplane", "lock");
  await writeFile(file, "garbage\n".repeat(100));
  await assert.rejects(manager.verify(), (error: Error) => {
    assert.equal(error.name, "ManagerFault");
    assert.ok(error.message.startsWith(`${file} is not a lock file.`));
    return true;
  });
});

test("a root that cannot be used is reported", async () => {
  await using site = await openSite();
  await writeFile(site.root, "a file");
  await assert.rejects(site.open(), { name: "ManagerFault", message: /cannot be opened/ });
});

test("a damaged journal is reported with the place of the change's files, before anything is removed", async () => {
  await using site = await openSite();
  const manager = await site.open();
  await writeFile(join(site.root, ".backplane", "journal.json"), "garbage");
  const message = /journal\.json cannot be read.*copy .*staging and .*trash elsewhere/;
  await assert.rejects(manager.verify(), { name: "ManagerFault", message });
});

for (const versions of [7, "x", {}, [null, 7, "x", {}]]) {
  test(`a package whose versions are ${JSON.stringify(versions)} in installed_packages.json can be listed and removed`, async () => {
    await using site = await openSite();
    const manager = await site.open();
    const entry = { package: { identifier: ID, versions }, current_version: "1.0.0", repository_id: "elsewhere" };
    await writeFile(join(site.root, "installed_packages.json"), JSON.stringify({ packages: [entry] }));
    assert.equal((await manager.list())[0]?.identifier, ID);
    assert.equal((await manager.update())[0]?.state, "nothing");
    assert.equal((await manager.uninstall(ID))[0]?.state, "done");
  });
}

test("when a version exists with and without an epoch, the installed one is known", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const manager = await site.open();
  await manager.repositories.add(putRepository(server, [{ version: "1.0" }, { version: "1.0", epoch: 1 }]));
  await manager.install(`${ID}@1.0`);
  assert.deepEqual(
    (await manager.list()).map(({ version, version_epoch, update }) => [version, version_epoch, update]),
    [["1.0", 0, "1-1.0"]],
  );
  assert.equal((await manager.update())[0]?.version, "1-1.0");
});
