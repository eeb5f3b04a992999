import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { openSite, type Site } from "../manager.suite.ts";
import { type FileServer, openFileServer, putRepository } from "../repository-server.suite.ts";

const ID = "org.example.sample";
const ARCHIVE = `/archives/${ID}/0-1.0.0.zip`;
const LARGE = { files: { "plugins/data.bin": randomBytes(300_000) } };

async function ready(server: FileServer, site: Site) {
  const manager = await site.open();
  await manager.repositories.add(putRepository(server, [LARGE]));
  return server.files.get(ARCHIVE) ?? Buffer.alloc(0);
}

/** Sends the headers of the whole and a part of it; breaks the connection when some of that has arrived. */
function breakOff(site: Site, response: ServerResponse, bytes: Buffer) {
  const before = site.progress.length;
  response.writeHead(200, { etag: '"first"', "content-length": bytes.length });
  response.write(bytes.subarray(0, 100_000));
  const look = setInterval(() => {
    const news = site.progress.slice(before);
    if (!news.some((step) => step.kind === "download" && step.done > 0)) return;
    clearInterval(look);
    response.destroy();
  }, 5);
  response.on("close", () => clearInterval(look));
}

test("a broken download is resumed where it stopped, if the file is still the same", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const bytes = await ready(server, site);
  const ranges: [string | undefined, string | undefined][] = [];
  server.instead.set(ARCHIVE, (request, response) => {
    ranges.push([request.headers.range, request.headers["if-range"] as string | undefined]);
    if (ranges.length === 1) return breakOff(site, response, bytes);
    const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1]);
    response.writeHead(206, { "content-range": `bytes ${start}-${bytes.length - 1}/${bytes.length}`, etag: '"first"' });
    response.end(bytes.subarray(start));
  });
  const manager = await site.open();
  assert.equal((await manager.install(ID))[0]?.state, "done");
  const [first, second] = ranges;
  assert.deepEqual(first, [undefined, undefined]);
  assert.match(second?.[0] ?? "", /^bytes=[1-9]\d*-$/);
  assert.equal(second?.[1], '"first"');
});

test("a file that changed meanwhile is downloaded from its start", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const bytes = await ready(server, site);
  let requests = 0;
  server.instead.set(ARCHIVE, (_request, response) => {
    requests += 1;
    if (requests === 1) return breakOff(site, response, randomBytes(bytes.length));
    response.writeHead(200, { etag: '"second"' }).end(bytes);
  });
  const manager = await site.open();
  assert.equal((await manager.install(ID))[0]?.state, "done");
});

test("an unfinished download is used by the next run, also when it turns out to be another file", async () => {
  for (const isSame of [true, false]) {
    await using server = await openFileServer();
    await using site = await openSite();
    const bytes = await ready(server, site);
    server.instead.set(ARCHIVE, (_request, response) =>
      breakOff(site, response, isSame ? bytes : randomBytes(bytes.length)),
    );
    const first = await site.open({ limits: { maxAttempts: 1 } });
    const [failed] = await first.install(ID);
    assert.equal(failed?.fault?.code, "unreachable");
    assert.match(failed?.fault?.message ?? "", /could not be downloaded.*run the command again/);
    const left = await readdir(join(site.root, ".backplane", "cache", "archives"));
    assert.equal(left.length, 1);
    server.instead.delete(ARCHIVE);
    const second = await site.open();
    assert.equal((await second.install(ID))[0]?.state, "done");
    const answers = server.requests.filter((line) => line.includes(ARCHIVE)).map((line) => line.split(" ")[2]);
    assert.deepEqual(answers, isSame ? ["200", "206"] : ["200", "206", "200"]);
  }
});

test("a server that is busy for a moment is asked again; one that stays busy is reported", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const bytes = await ready(server, site);
  let requests = 0;
  server.instead.set(ARCHIVE, (_request, response) => {
    requests += 1;
    if (requests < 3) response.writeHead(503).end();
    else response.end(bytes);
  });
  const manager = await site.open();
  assert.equal((await manager.install(ID))[0]?.state, "done");
  await manager.uninstall(ID);
  server.instead.set("/repository.json", (_request, response) => response.writeHead(503).end());
  const [refreshed] = await manager.refresh();
  assert.deepEqual([refreshed?.state, refreshed?.fault?.code], ["cached", "unreachable"]);
});

test("a server that does not answer, or stops in the middle, is given up on", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const bytes = await ready(server, site);
  const limits = { answerWithinMs: 150, silenceMs: 150, maxAttempts: 2 };
  server.instead.set(ARCHIVE, () => {});
  const manager = await site.open({ limits });
  const [silent] = await manager.install(ID);
  assert.match(silent?.fault?.message ?? "", /did not answer within 0\.15 s/);
  server.instead.set(ARCHIVE, (_request, response) => {
    response.writeHead(200, { "content-length": bytes.length });
    response.write(bytes.subarray(0, 10));
  });
  const [stopped] = await manager.install(ID);
  assert.equal(stopped?.fault?.code, "unreachable");
});

test("redirects are followed, within limits, and never to a file", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  await ready(server, site);
  const to = (location: string) => (_: unknown, response: ServerResponse) =>
    response.writeHead(302, { location }).end();
  const manager = await site.open();
  server.instead.set("/moved.zip", to(ARCHIVE));
  putRepository(server, [{ ...LARGE, listed: { download_url: `${server.url}/moved.zip` } }], { updateTimestamp: 1 });
  assert.equal((await manager.install(ID))[0]?.state, "done");
  for (const [location, says] of [
    ["/loop.zip", /more than 5 redirects/],
    ["file:///etc/hostname", /is a file: address/],
    ["http://[", /cannot be read/],
  ] as const) {
    server.instead.set("/loop.zip", to(location));
    putRepository(server, [{ version: "3.0", listed: { download_url: `${server.url}/loop.zip` } }], {
      updateTimestamp: 2,
    });
    await manager.refresh();
    const [failed] = await manager.install(`${ID}@3.0`);
    assert.equal(failed?.fault?.code, "bad-redirect");
    assert.match(failed?.fault?.message ?? "", says);
  }
});

test("a redirect from https to http is not followed", async () => {
  await using site = await openSite();
  const asked: string[] = [];
  const manager = await site.open({
    fetch: async (input) => {
      asked.push(String(input));
      return new Response(null, { status: 302, headers: { location: "http://packages.example/repository.json" } });
    },
  });
  await assert.rejects(manager.repositories.add("https://packages.example/repository.json"), {
    code: "bad-redirect",
    message: /from https to http/,
  });
  assert.deepEqual(asked, ["https://packages.example/repository.json"]);
});

test("the token is sent only to its origin, and appears in no message", async () => {
  await using server = await openFileServer();
  await using elsewhere = await openFileServer();
  await using site = await openSite();
  elsewhere.instead.set("/a.zip", (_request, response) => response.writeHead(403).end());
  const url = putRepository(server, [{ listed: { download_url: `${server.url}/a.zip?secret=1` } }]);
  server.instead.set("/a.zip", (_request, response) =>
    response.writeHead(302, { location: `${elsewhere.url}/a.zip` }).end(),
  );
  const manager = await site.open({ token: { origin: server.url, value: "s3cret-value" } });
  await manager.repositories.add(url);
  const [failed] = await manager.install(ID);
  assert.ok(server.headers.every(({ authorization }) => authorization === "Bearer s3cret-value"));
  assert.deepEqual(
    elsewhere.headers.map(({ authorization }) => authorization),
    [undefined],
  );
  assert.doesNotMatch(JSON.stringify(failed), /s3cret|secret=/);
  assert.match(failed?.fault?.message ?? "", /answers 403\. Sign in/);
});

test("stopping ends a download, and leaves the installation unchanged", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const bytes = await ready(server, site);
  const stop = new AbortController();
  server.instead.set(ARCHIVE, (_request, response) => {
    response.writeHead(200, { "content-length": bytes.length });
    response.write(bytes.subarray(0, 1_000), () => stop.abort());
  });
  const manager = await site.open({ signal: stop.signal });
  await assert.rejects(manager.install(ID), { code: "aborted" });
  assert.deepEqual(await site.files(), {});
});

test("files of a dead process are removed", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  await ready(server, site);
  const manager = await site.open();
  const { pid } = spawnSync(process.execPath, ["--version"]);
  const folder = join(site.root, ".backplane", "cache", "archives");
  const [dead, alive] = [pid, process.pid].map((owner) => `${"a".repeat(64)}.${owner}-0.held`) as [string, string];
  await mkdir(folder, { recursive: true });
  for (const name of [dead, alive]) await writeFile(join(folder, name), "");
  assert.equal((await manager.install(ID))[0]?.state, "done");
  const left = await readdir(folder);
  assert.deepEqual([left.includes(dead), left.includes(alive)], [false, true]);
});

test("verified archives are kept up to the limit, the oldest are deleted first", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const names = ["one", "two", "three"].map((name) => `org.example.${name}`);
  const url = putRepository(
    server,
    names.map((identifier) => ({ identifier, files: { "plugins/data.bin": randomBytes(50_000) } })),
  );
  const manager = await site.open({ limits: { maxCachedArchiveBytes: 120_000 } });
  await manager.repositories.add(url);
  for (const name of names) assert.equal((await manager.install(name))[0]?.state, "done");
  const kept = await readdir(join(site.root, ".backplane", "cache", "archives"));
  assert.equal(kept.length, 2);
});
