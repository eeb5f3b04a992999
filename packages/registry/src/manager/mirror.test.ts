import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { sampleArchive } from "../archives/samples.suite.ts";
import { newSigningKey } from "../signing/keys.ts";
import { openSite } from "./manager.suite.ts";
import { openFileServer, putRepository } from "./repository-server.suite.ts";

const ID = "org.example.sample";
const PUBLISHED = [{ version: "1.0" }, { version: "1.1" }, { identifier: "org.example.other" }];

test("a mirror is a verified, signed static repository, from which a manager installs", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  await using other = await openSite();
  const url = putRepository(server, PUBLISHED);
  const folder = join(site.folder, "mirror");
  const baseUrl = pathToFileURL(folder).href;
  const manager = await site.open();
  const mirrored = await manager.mirror(url, folder, { baseUrl, signingKey: newSigningKey() });
  assert.deepEqual([mirrored.packages, mirrored.versions, mirrored.fetched, mirrored.leftOut], [2, 3, 3, []]);
  assert.ok(mirrored.bytes > 0);
  const client = await other.open();
  const added = await client.repositories.add(`${baseUrl}/repository.json`);
  assert.deepEqual([added.packages, added.warnings], [2, []]);
  assert.equal((await client.trustedKeys()).length, 1);
  const { length } = server.requests;
  assert.equal((await client.install(ID))[0]?.version, "1.1");
  assert.equal(server.requests.length, length);
});

test("files with the right hash are not downloaded again, damaged ones are; nothing is deleted unless pruned", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const url = putRepository(server, PUBLISHED);
  const folder = join(site.folder, "mirror");
  const options = { baseUrl: "https://mirror.example/tools/" };
  const manager = await site.open();
  await manager.mirror(url, folder, options);
  const before = await readFile(join(folder, "repository.json"), "utf8");
  const again = await manager.mirror(url, folder, options);
  assert.deepEqual([again.fetched, again.present], [0, 3]);
  assert.equal(await readFile(join(folder, "repository.json"), "utf8"), before);
  const [archive = ""] = (await readdir(join(folder, "archives", ID))).filter((name) => name.startsWith("1.0-"));
  for (const wrong of ["damaged", sampleArchive({ version: "6.6" })]) {
    await writeFile(join(folder, "archives", ID, archive), wrong);
    assert.equal((await manager.mirror(url, folder, options)).fetched, 1);
  }

  putRepository(server, PUBLISHED.slice(1), { updateTimestamp: 1_800_000_009 });
  await manager.mirror(url, folder, options);
  assert.ok(existsSync(join(folder, "archives", ID, archive)));
  await writeFile(join(folder, "notes.txt"), "mine");
  const { pruned } = await manager.mirror(url, folder, { ...options, prune: true });
  assert.ok(pruned.includes(`archives/${ID}/${archive}`));
  assert.ok(!existsSync(join(folder, "archives", ID, archive)));
  assert.ok(existsSync(join(folder, "notes.txt")));
  assert.ok(existsSync(join(folder, "packages.json")));
});

test("a version that cannot be copied is left out and reported; with strict nothing is written", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const url = putRepository(server, [
    ...PUBLISHED,
    { version: "2.0", listed: { download_sha256: "0".repeat(64) } },
    { identifier: "org.example.gone", archive: Buffer.from("no zip") },
  ]);
  const folder = join(site.folder, "mirror");
  const manager = await site.open();
  const options = { baseUrl: "https://mirror.example" };
  await assert.rejects(manager.mirror(url, folder, { ...options, strict: true }), { exitCode: 6 });
  assert.ok(!existsSync(join(folder, "repository.json")));
  const mirrored = await manager.mirror(url, folder, options);
  assert.deepEqual(mirrored.leftOut.map(({ identifier, version, fault }) => [identifier, version, fault.code]).sort(), [
    ["org.example.gone", "1.0.0", "archive-refused"],
    [ID, "2.0", "wrong-sha256"],
  ]);
  assert.doesNotMatch(await readFile(join(folder, "packages.json"), "utf8"), /gone|"2\.0"/);
});

test("a repository that fails verification is not mirrored", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const url = putRepository(server, PUBLISHED);
  server.files.set("/packages.json", Buffer.from('{"packages":[]}'));
  const manager = await site.open();
  await assert.rejects(manager.mirror(url, join(site.folder, "m"), { baseUrl: "https://mirror.example" }), {
    code: "packages-sha256",
  });
});
