import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { sampleMetadata } from "../../archives/samples.suite.ts";
import { sha256Of } from "../../values.ts";
import { openSite } from "../manager.suite.ts";
import { openFileServer, putPackages, putRepository } from "../repository-server.suite.ts";
import { repositoryId } from "./configured.ts";

const ID = "org.example.sample";

test("packages.json is downloaded only when update_timestamp differs, repository.json by its ETag", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const url = putRepository(server, [{ version: "1.0" }]);
  const manager = await site.open();
  await manager.repositories.add(url);
  assert.equal(server.count("/packages.json"), 1);
  assert.deepEqual(
    (await manager.refresh()).map(({ state }) => state),
    ["same"],
  );
  assert.equal(server.count("/packages.json"), 1);
  assert.equal(server.requests.at(-1), "GET /repository.json 304");
  // One manager asks for nothing again within a minute.
  const { length } = server.requests;
  await manager.search("");
  await manager.info(ID);
  assert.equal(server.requests.length, length);

  putRepository(server, [{ version: "1.0" }, { version: "1.1" }], { updateTimestamp: 1_800_000_001 });
  const other = await site.open();
  assert.equal((await other.info(ID)).preferred?.version, "1.1");
  assert.equal(server.count("/packages.json"), 2);
  const files = await readdir(join(site.root, ".backplane", "cache", "lists", repositoryId(url)));
  assert.equal(files.length, 2);
});

test("a new timestamp over the same bytes costs one 304", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const url = putRepository(server, [{}]);
  const manager = await site.open();
  await manager.repositories.add(url);
  putRepository(server, [{}], { updateTimestamp: 1_800_000_001 });
  assert.deepEqual(
    (await manager.refresh()).map(({ state }) => state),
    ["same"],
  );
  assert.equal(server.requests.at(-1), "GET /packages.json 304");
});

test("a damaged cached list is downloaded again", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const url = putRepository(server, [{}]);
  const manager = await site.open();
  await manager.repositories.add(url);
  const folder = join(site.root, ".backplane", "cache", "lists", repositoryId(url));
  const [name = ""] = (await readdir(folder)).filter((each) => each.startsWith("packages-"));
  await writeFile(join(folder, name), '{"packages":[]}');
  assert.deepEqual(
    (await manager.refresh()).map(({ state, packages }) => [state, packages]),
    [["new", 1]],
  );
});

test("without a connection the last list is used, with a note of its age; archives come from the cache", async () => {
  await using site = await openSite();
  {
    await using server = await openFileServer();
    const manager = await site.open();
    await manager.repositories.add(putRepository(server, [{ version: "1.0" }]));
    await manager.install(ID);
    await manager.uninstall(ID);
  }
  site.clock.nowMs += 3 * 3_600_000;
  for (const options of [{}, { offline: true }]) {
    const manager = await site.open(options);
    const [refreshed] = await manager.refresh();
    assert.equal(refreshed?.state, "cached");
    assert.match(refreshed.warnings[0]?.message ?? "", /cannot be reached\. Its list is 3 h old/);
    assert.equal(refreshed.fault?.code, options.offline ? "offline" : "unreachable");
    assert.equal((await manager.info(ID)).listAgeMs, 3 * 3_600_000);
    assert.equal((await manager.install(ID))[0]?.state, "done");
    await manager.uninstall(ID);
  }
});

const BODY = `${JSON.stringify({ packages: [sampleMetadata()] }, undefined, 1)}\n`;
const MISMATCHES: [name: string, served: Buffer, says: RegExp][] = [
  ["with CRLF line ends", Buffer.from(BODY.replaceAll("\n", "\r\n")), /would match with LF line ends/],
  ["a web page", Buffer.from("<!DOCTYPE html><p>Sign in"), /it is a web page/],
  ["empty", Buffer.alloc(0), /it is empty/],
  ["with a byte order mark", Buffer.from(`\uFEFF${BODY}`), /without the byte order mark/],
  ["without its last newline", Buffer.from(BODY.trimEnd()), /with a newline at its end/],
  ["another one", Buffer.from('{"packages":[]}'), /it has 15 bytes/],
];
for (const [name, served, says] of MISMATCHES) {
  test(`a packages.json that does not match its sha256 refuses the whole repository, and is explained: ${name}`, async () => {
    await using server = await openFileServer();
    await using site = await openSite();
    const url = putPackages(server, Buffer.from(BODY));
    server.files.set("/packages.json", served);
    const manager = await site.open();
    await assert.rejects(manager.repositories.add(url), (error: Error & { code: string }) => {
      assert.equal(error.code, "packages-sha256");
      assert.match(error.message, says);
      return true;
    });
    assert.deepEqual(await manager.repositories.list(), []);
  });
}

test("a list that was hashed with CRLF and is served with LF is explained, too", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const url = putPackages(server, Buffer.from(BODY.replaceAll("\n", "\r\n")));
  server.files.set("/packages.json", Buffer.from(BODY));
  const manager = await site.open();
  await assert.rejects(manager.repositories.add(url), /would match with CRLF line ends/);
});

test("a repository that becomes invalid later is refused: nothing is installed from it, other calls continue", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const manager = await site.open();
  await manager.repositories.add(putRepository(server, [{ version: "1.0" }]));
  await manager.install(ID);
  putRepository(server, [{ version: "1.0" }, { version: "2.0" }], { updateTimestamp: 1_800_000_001 });
  server.files.set("/packages.json", Buffer.from('{"packages":[]}'));
  const [refreshed] = await manager.refresh();
  assert.deepEqual([refreshed?.state, refreshed?.fault?.code], ["refused", "packages-sha256"]);
  const [failed] = await manager.update();
  assert.deepEqual([failed?.state, failed?.fault?.code], ["failed", "packages-sha256"]);
  assert.equal((await manager.list())[0]?.version, "1.0");
});

test("when somebody publishes between the two requests, both are repeated without caches, and then match", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const url = putRepository(server, [{ version: "1.0" }]);
  const old = server.files.get("/repository.json") ?? Buffer.alloc(0);
  putRepository(server, [{ version: "1.0" }, { version: "2.0" }], { updateTimestamp: 1_800_000_001 });
  server.instead.set("/repository.json", (_request, response) => {
    server.instead.delete("/repository.json");
    response.end(old);
  });
  const manager = await site.open();
  await manager.repositories.add(url);
  assert.equal((await manager.info(ID)).preferred?.version, "2.0");
  assert.ok(server.headers.some((headers) => headers["cache-control"] === "no-cache"));
});

test("only the package that breaks the schema is left out of a list, with pointer, line and column", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const good = sampleMetadata({ identifier: "org.example.good" });
  const bad = { ...sampleMetadata({ identifier: "org.example.bad" }), license: "GPL-3.0-or-later" };
  const text = JSON.stringify({ packages: [good, bad, sampleMetadata()] }, undefined, 2);
  const url = putPackages(server, Buffer.from(text));
  const manager = await site.open();
  const added = await manager.repositories.add(url);
  assert.equal(added.packages, 2);
  const line = text.split("\n").findIndex((each) => each.includes("or-later")) + 1;
  const [warning] = added.warnings;
  assert.deepEqual(
    [warning?.identifier, warning?.pointer, warning?.line, warning?.fix],
    ["org.example.bad", "/packages/1/license", line, "GPL-3.0"],
  );
  assert.match(
    warning?.message ?? "",
    /org\.example\.bad is left out: \/packages\/1\/license is not on the list \(line/,
  );
  await assert.rejects(manager.info("org.example.bad"), { code: "package-invalid" });

  await using other = await openSite();
  const strict = await other.open({ strict: true });
  await assert.rejects(strict.repositories.add(url), { code: "packages-invalid" });
});

test("repository.json: too large for KiCad is a warning, over our limit is refused; other files are reported", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const url = putRepository(server, [{}]);
  const value = JSON.parse(String(server.files.get("/repository.json"))) as Record<string, unknown>;
  server.files.set("/repository.json", Buffer.from(JSON.stringify({ ...value, extra: "x".repeat(21_000) })));
  const manager = await site.open();
  const added = await manager.repositories.add(url);
  assert.match(added.warnings[0]?.message ?? "", /KiCad reads at most 20480/);
  await manager.repositories.remove(added.name);
  server.files.set("/repository.json", Buffer.from(JSON.stringify({ ...value, extra: "x".repeat(70_000) })));
  await assert.rejects(manager.repositories.add(url), { code: "too-large" });
  server.files.set("/repository.json", Buffer.from("<html>"));
  await assert.rejects(manager.repositories.add(url), /is not a repository\.json: it is a web page/);
  server.files.set("/repository.json", Buffer.from('{\n "name": 1}'));
  await assert.rejects(manager.repositories.add(url), { code: "repository-invalid", exitCode: 6 });
  server.files.delete("/repository.json");
  await assert.rejects(manager.repositories.add(url), { code: "http-status", exitCode: 3 });
});

test("a repository in a local folder works like one that is served", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  putRepository(server, [{}]);
  const place = (name: string) => join(site.folder, name);
  const here = pathToFileURL(site.folder).href;
  const packages = Buffer.from(
    String(server.files.get("/packages.json")).replace(/http:[^"]+\.zip/, `${here}/archive.zip`),
  );
  const repository = String(server.files.get("/repository.json"))
    .replace(/http:[^"]+packages.json/, `${here}/packages.json`)
    .replace(/"sha256": "[a-f0-9]+"/, `"sha256": "${sha256Of(packages)}"`);
  const [archive = Buffer.alloc(0)] = [...server.files]
    .filter(([path]) => path.endsWith(".zip"))
    .map(([, bytes]) => bytes);
  await writeFile(place("packages.json"), packages);
  await writeFile(place("archive.zip"), archive);
  await writeFile(place("repository.json"), repository);
  const manager = await site.open();
  await manager.repositories.add(`${here}/repository.json`);
  assert.equal((await manager.install(ID))[0]?.state, "done");
  assert.equal(server.requests.length, 0);
});

test("a brand's repository is read in its spelling", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const url = putRepository(server, [{}], { brand: "kicad" });
  assert.match(String(server.files.get("/packages.json")), /kicad_version/);
  const manager = await site.open({ brand: "kicad" });
  await manager.repositories.add(url);
  assert.equal((await manager.install(ID))[0]?.state, "done");
  const [listed] = await manager.list();
  assert.match(JSON.stringify(listed?.entry), /kicad_version/);
});
