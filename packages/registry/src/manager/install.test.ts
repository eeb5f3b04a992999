import assert from "node:assert/strict";
import { test } from "node:test";
import { exitCodeOfOutcomes } from "./index.ts";
import { openSite } from "./manager.suite.ts";
import { openFileServer, putRepository } from "./repository-server.suite.ts";

const ID = "org.example.sample";
const CODE = `plugins/org_example_sample/__init__.py`;

test("the preferred version is downloaded, verified and installed, with progress in bytes and files", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const url = putRepository(server, [
    { version: "1.0.0" },
    { version: "1.1.0", files: { "plugins/__init__.py": "newer" } },
    { version: "2.0.0", status: "testing" },
  ]);
  const manager = await site.open();
  await manager.repositories.add(url);
  const [outcome] = await manager.install(ID);
  assert.equal(outcome?.fault, undefined);
  assert.deepEqual([outcome?.state, outcome?.version, outcome?.repository?.name], ["done", "1.1.0", "Tools"]);
  assert.equal((await site.files())[CODE], "newer");
  const downloads = site.progress.filter(({ kind }) => kind === "download");
  const last = downloads.at(-1);
  assert.ok(last?.kind === "download" && last.done === last.total && last.done > 0);
  assert.ok(site.progress.some((step) => step.kind === "unpack" && step.done === step.total));
  const [listed] = await manager.list();
  assert.deepEqual([listed?.identifier, listed?.version, listed?.pinned], [ID, "1.1.0", false]);
  assert.deepEqual(
    (await manager.verify()).map(({ missing, altered, manifest }) => [missing, altered, manifest]),
    [[[], [], "known"]],
  );
});

test("a named version is installed, also with an epoch; for an unknown one the known ones are listed", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const url = putRepository(server, [{ version: "1.0.0" }, { version: "3.0" }, { version: "1.0", epoch: 1 }]);
  const manager = await site.open();
  await manager.repositories.add(url);
  assert.equal((await manager.install(`${ID}@1.0`))[0]?.version, "1.0.0");
  assert.equal((await manager.install(`${ID}@1-1.0`))[0]?.version, "1-1.0");
  assert.deepEqual(
    (await manager.list()).map(({ version, version_epoch }) => [version, version_epoch]),
    [["1.0", 1]],
  );
  const [missing] = await manager.install(ID, { version: "7.7" });
  assert.equal(missing?.fault?.code, "version-unknown");
  assert.match(String(missing?.fault?.message), /1\.0, 3\.0, 1\.0\.0/);
});

test("each of several packages is reported; one that fails does not affect the others", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const url = putRepository(server, [
    { identifier: "org.example.one" },
    { identifier: "org.example.bad", listed: { download_url: `${server.url}/gone.zip` } },
    { identifier: "org.example.two" },
  ]);
  const manager = await site.open();
  await manager.repositories.add(url);
  const outcomes = await manager.install(["org.example.one", "org.example.bad", "no such", "org.example.two"]);
  assert.deepEqual(
    outcomes.map(({ identifier, state, fault }) => [identifier, state, fault?.code]),
    [
      ["org.example.one", "done", undefined],
      ["org.example.bad", "failed", "http-status"],
      ["no such", "failed", "bad-spec"],
      ["org.example.two", "done", undefined],
    ],
  );
  assert.equal(exitCodeOfOutcomes(outcomes), 1);
  assert.equal(exitCodeOfOutcomes(outcomes.slice(0, 2)), 3);
  assert.equal(exitCodeOfOutcomes(outcomes.slice(0, 1)), 0);
});

test("a version that does not work with the tool is refused with the reason, unless forced", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const url = putRepository(server, [{ listed: { platforms: ["windows"] } }]);
  const manager = await site.open();
  await manager.repositories.add(url);
  for (const spec of [ID, `${ID}@1.0.0`]) {
    const [refused] = await manager.install(spec);
    assert.equal(refused?.fault?.code, "not-compatible");
    assert.match(String(refused?.fault?.message), /is for windows, this is linux/);
  }
  assert.equal((await manager.install(ID, { force: true }))[0]?.state, "done");
});

test("a dry run says what would happen, and changes nothing", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const url = putRepository(server, [{}]);
  const manager = await site.open();
  await manager.repositories.add(url);
  const [planned] = await manager.install(ID, { dryRun: true });
  assert.equal(planned?.state, "planned");
  assert.ok(planned?.plan?.added.includes(CODE));
  assert.deepEqual(await site.files(), {});
});

test("update follows the rule for updates, and leaves pinned packages alone", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  putRepository(server, [{ version: "1.0" }, { identifier: "org.example.pinned", version: "1.0" }]);
  const manager = await site.open();
  await manager.repositories.add(`${server.url}/repository.json`);
  await manager.install([ID, "org.example.pinned"]);
  await manager.pin("org.example.pinned");
  putRepository(
    server,
    [
      { version: "1.0" },
      { version: "1.2" },
      { version: "2.0", status: "testing" },
      { identifier: "org.example.pinned", version: "2.0" },
    ],
    { updateTimestamp: 1_800_000_001 },
  );
  await manager.refresh();
  assert.deepEqual(
    (await manager.list()).map(({ update }) => update),
    ["1.2", "2.0"],
  );
  const planned = await manager.update(undefined, { dryRun: true });
  assert.deepEqual(
    planned.map(({ state, version }) => [state, version]),
    [
      ["planned", "1.2"],
      ["nothing", "1.0"],
    ],
  );
  const outcomes = await manager.update();
  assert.deepEqual(
    outcomes.map(({ state, version }) => [state, version]),
    [
      ["done", "1.2"],
      ["nothing", "1.0"],
    ],
  );
  const [named] = await manager.update(["org.example.pinned"]);
  assert.equal(named?.fault?.code, "pinned");
  const [asked] = await manager.install("org.example.pinned@2.0");
  assert.equal(asked?.fault?.code, "pinned");
  await manager.unpin("org.example.pinned");
  assert.equal((await manager.update(["org.example.pinned"]))[0]?.version, "2.0");
});

test("a package that was unpublished stays installed, and update and info say so", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  putRepository(server, [{ version: "1.0" }]);
  const manager = await site.open();
  await manager.repositories.add(`${server.url}/repository.json`);
  await manager.install(ID);
  const before = await site.files();
  putRepository(server, [{ identifier: "org.example.other" }], { updateTimestamp: 1_800_000_001 });
  await manager.refresh();
  const words = /no longer lists .*: all its versions were unpublished.* The installed version stays\.$/;
  for (const named of [undefined, [ID]]) {
    const [outcome] = await manager.update(named);
    assert.deepEqual([outcome?.state, outcome?.version], ["nothing", "1.0"]);
    assert.match(outcome?.notes[0] ?? "", words);
  }
  await assert.rejects(manager.info(ID), { code: "package-unknown", message: words });
  assert.deepEqual(await site.files(), before);
  await assert.rejects(manager.info("org.example.never"), { code: "package-unknown", message: /Check the spelling/ });
});

test("verify finds missing and altered files, repair restores them from the cache", async () => {
  const { rm, writeFile } = await import("node:fs/promises");
  const { join } = await import("node:path");
  await using server = await openFileServer();
  await using site = await openSite();
  const url = putRepository(server, [{ files: { "plugins/__init__.py": "code", "plugins/data.txt": "data" } }]);
  const manager = await site.open();
  await manager.repositories.add(url);
  await manager.install(ID);
  const before = await site.files();
  await rm(join(site.root, CODE));
  await writeFile(join(site.root, "plugins/org_example_sample/data.txt"), "other");
  const [found] = await manager.verify();
  assert.deepEqual([found?.missing.length, found?.altered.length], [1, 1]);
  const [planned] = await manager.repair(undefined, { dryRun: true });
  assert.equal(planned?.state, "planned");
  const requests = server.requests.length;
  const [repaired] = await manager.repair();
  assert.equal(repaired?.fault, undefined);
  assert.equal(repaired?.state, "done");
  assert.deepEqual(await site.files(), before);
  assert.equal(server.requests.length, requests);
  assert.equal((await manager.repair())[0]?.state, "nothing");
});

test("a package that is not installed cannot be updated, repaired, pinned or uninstalled", async () => {
  await using site = await openSite();
  const manager = await site.open();
  assert.equal((await manager.update([ID]))[0]?.fault?.code, "not-installed");
  assert.equal((await manager.repair([ID]))[0]?.fault?.code, "not-installed");
  assert.equal((await manager.uninstall(ID))[0]?.fault?.code, "not-installed");
  await assert.rejects(manager.pin(ID), { code: "not-installed", exitCode: 5 });
  assert.equal((await manager.install(ID))[0]?.fault?.code, "no-repositories");
});

test("uninstall removes its files and nothing else", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const url = putRepository(server, [{}, { identifier: "org.example.other" }]);
  const manager = await site.open();
  await manager.repositories.add(url);
  await manager.install([ID, "org.example.other"]);
  const [planned] = await manager.uninstall(ID, { dryRun: true });
  assert.ok(planned?.plan?.deleted.includes(CODE));
  assert.ok(CODE in (await site.files()));
  assert.equal((await manager.uninstall(ID))[0]?.state, "done");
  const files = Object.keys(await site.files());
  assert.ok(!files.some((path) => path.includes("org_example_sample")));
  assert.ok(files.some((path) => path.includes("org_example_other")));
});
