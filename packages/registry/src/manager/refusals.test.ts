import assert from "node:assert/strict";
import { test } from "node:test";
import { hostileArchives } from "../archives/hostile.suite.ts";
import { sampleArchive } from "../archives/samples.suite.ts";
import type { InstallOptions } from "./index.ts";
import { openSite } from "./manager.suite.ts";
import { openFileServer, type Published, putRepository } from "./repository-server.suite.ts";

const ID = "org.example.sample";
const ARCHIVE = `/archives/${ID}/0-2.0.zip`;
const RIGHT = sampleArchive({ version: "2.0" });

type Case = {
  name: string;
  listed?: Published["listed"];
  archive?: Buffer | null;
  code: string;
  exitCode: number;
  says: RegExp;
  options?: InstallOptions;
};

const CASES: Case[] = [
  {
    name: "a wrong download_sha256 stops the install",
    listed: { download_sha256: "0".repeat(64) },
    code: "wrong-sha256",
    exitCode: 6,
    says: /org\.example\.sample 2\.0 does not match its metadata: it has \d+ bytes, as expected, but the content differs\. Nothing was changed\. Tell/,
  },
  {
    name: "a download_size that is too small is noticed",
    listed: { download_size: RIGHT.length - 1 },
    code: "wrong-size",
    exitCode: 6,
    says: /org\.example\.sample 2\.0 has the wrong size: more than the \d+ bytes/,
  },
  {
    name: "a download_size that is too large is noticed",
    listed: { download_size: RIGHT.length + 1 },
    code: "wrong-size",
    exitCode: 6,
    says: /\d+ bytes were received, but its metadata has \d+\. Its sha256 is right: the size in the metadata is wrong\. Nothing was changed/,
  },
  {
    name: "a missing download_url is reported",
    listed: { download_url: undefined },
    code: "no-download-url",
    exitCode: 6,
    says: /org\.example\.sample 2\.0 cannot be installed: its metadata has no download_url/,
  },
  {
    name: "a missing download_sha256 is refused",
    listed: { download_sha256: undefined },
    code: "no-sha256",
    exitCode: 6,
    says: /has no download_sha256.*allow unverified/,
  },
  {
    name: "a 404 is reported, and its body is not used as the archive",
    archive: null,
    code: "http-status",
    exitCode: 3,
    says: /org\.example\.sample 2\.0 cannot be downloaded: .*\.zip answers 404\. Check the address/,
  },
  {
    name: "a web page with status 200 instead of the archive is reported",
    archive: Buffer.from("<!doctype html><title>Sign in</title>"),
    listed: { download_size: undefined },
    code: "wrong-sha256",
    exitCode: 6,
    says: /it is a web page/,
  },
  {
    name: "an empty answer is reported",
    archive: Buffer.alloc(0),
    listed: { download_size: undefined },
    code: "wrong-sha256",
    exitCode: 6,
    says: /it is empty/,
  },
  {
    name: "an archive that is over the limit is not fetched to its end",
    listed: { download_size: undefined },
    code: "too-large",
    exitCode: 6,
    says: /has more than 100 bytes/,
  },
  {
    name: "an address that names a file of this machine is not read",
    listed: { download_url: "file:///etc/hostname" },
    code: "file-from-network",
    exitCode: 6,
    says: /refers to a file on this machine/,
  },
];

for (const { name, listed, archive, code, exitCode, says, options } of CASES) {
  test(`${name}; the installation is unchanged`, async () => {
    await using server = await openFileServer();
    await using site = await openSite();
    const before = { version: "1.0", files: { "plugins/old.py": "old" } };
    putRepository(server, [before]);
    const first = await site.open();
    await first.repositories.add(`${server.url}/repository.json`);
    await first.install(ID);
    const files = await site.files();

    putRepository(server, [before, { version: "2.0", ...(listed ? { listed } : {}) }], {
      updateTimestamp: 1_800_000_001,
    });
    if (archive === null) server.files.delete(ARCHIVE);
    else if (archive) server.files.set(ARCHIVE, archive);
    const manager = await site.open(code === "too-large" ? { limits: { maxArchiveBytes: 100 } } : {});
    for (const outcomes of [await manager.install(`${ID}@2.0`, options), await manager.update()]) {
      const [failed] = outcomes;
      assert.equal(failed?.state, "failed");
      assert.equal(failed.fault?.code, code);
      assert.equal(failed.fault?.exitCode, exitCode);
      assert.match(failed.fault?.message ?? "", says);
    }
    assert.deepEqual(await site.files(), files);
    const [verified] = await manager.verify();
    assert.deepEqual([verified?.version, verified?.missing, verified?.altered], ["1.0", [], []]);
  });
}

test("a version without sha256 is installed only when that is allowed", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  putRepository(server, [{ listed: { download_sha256: undefined } }]);
  const manager = await site.open();
  await manager.repositories.add(`${server.url}/repository.json`);
  const [outcome] = await manager.install(ID, { allowUnverified: true });
  assert.equal(outcome?.state, "done");
});

test("every hostile archive is refused by install, naming the reason, and nothing is installed", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const hostile = hostileArchives();
  assert.ok(hostile.length >= 25);
  const identifiers = hostile.map((_, index) => `org.example.hostile${index}`);
  const published = hostile.map(({ bytes }, index) => ({ identifier: identifiers[index] ?? "", archive: bytes }));
  putRepository(server, published);
  const manager = await site.open();
  await manager.repositories.add(`${server.url}/repository.json`);
  const outcomes = await manager.install(identifiers);
  for (const [index, { name, reason }] of hostile.entries()) {
    const fault = outcomes[index]?.fault;
    assert.equal(fault?.code, "archive-refused", name);
    assert.equal(fault.details.reason, reason, name);
    assert.ok(fault.message.includes(reason), name);
  }
  assert.deepEqual(await site.files(), {});
  assert.deepEqual(await manager.list(), []);
});
