import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { newSigningKey } from "../../signing/keys.ts";
import { NOW_MS, openSite } from "../manager.suite.ts";
import { openFileServer, putPackages, putRepository } from "../repository-server.suite.ts";
import { addressIn } from "./fetch-list.ts";

const ID = "org.example.sample";
const ARCHIVE = `/archives/${ID}/0-1.0.0.zip`;
const SIGNING_KEY = newSigningKey();

for (const [what, status, headers] of [
  ["that there is no such part", 416, {}],
  ["a part that nobody asked for", 206, { "content-range": "bytes 5-9/10" }],
  ["a part of nobody knows what", 206, {}],
] as const) {
  test(`a server that always answers ${what} is not asked forever`, async () => {
    await using server = await openFileServer();
    await using site = await openSite();
    const manager = await site.open({ signal: AbortSignal.timeout(20_000) });
    await manager.repositories.add(putRepository(server, [{}]));
    server.instead.set(ARCHIVE, (_request, response) => response.writeHead(status, headers).end("hello"));
    const [outcome] = await manager.install(ID);
    assert.deepEqual([outcome?.fault?.code, outcome?.fault?.details.status], ["http-status", status]);
    assert.equal(server.count(ARCHIVE), 1);
  });
}

test("a partial answer is not accepted as the whole repository.json", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const url = putRepository(server, [{}]);
  const bytes = server.files.get("/repository.json") ?? Buffer.alloc(0);
  server.instead.set("/repository.json", (_request, response) =>
    response.writeHead(206, { "content-range": `bytes 0-${bytes.length - 1}/${bytes.length * 2}` }).end(bytes),
  );
  const manager = await site.open();
  await assert.rejects(manager.repositories.add(url), { code: "http-status" });
});

test("a server that sends a byte now and then is given up on, like one that sends nothing", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const url = putRepository(server, [{}]);
  server.instead.set("/repository.json", (_request, response) => {
    const drip = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(drip));
  });
  const limits = { silenceMs: 500, minBytesPerS: 500, maxAttempts: 2 };
  const manager = await site.open({ limits, signal: AbortSignal.timeout(20_000) });
  await assert.rejects(manager.repositories.add(url), {
    code: "unreachable",
    message: /less than 500 bytes per second/,
  });
});

test("a list with more faults than packages is refused quickly", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const manager = await site.open();
  const url = putPackages(server, Buffer.from(`{"packages":[${'{"identifier":"x"},'.repeat(200_000)}{}]}`));
  const startedMs = performance.now();
  await assert.rejects(manager.repositories.add(url), { code: "packages-invalid", message: /\/packages\/0/ });
  assert.ok(performance.now() - startedMs < 10_000);
});

test("a remote repository cannot send a client to its own machine, a private network or a cloud's metadata service", () => {
  const from = "https://packages.example/repository.json";
  const [local, inside] = ["http://localhost/repository.json", "http://10.0.0.1/repository.json"];
  for (const host of ["localhost:8790", "127.1.2.3", "[::1]", "[::ffff:127.0.0.1]", "0x7f.1", "169.254.169.254"]) {
    for (const found of [from, inside]) {
      assert.throws(() => addressIn(`http://${host}/x.zip`, found), { code: "local-from-network" }, host);
    }
    assert.equal(addressIn(`http://${host}/x.zip`, local), `http://${host}/x.zip`);
  }
  for (const host of ["[fe80::1]", "[fd00:ec2::254]", "168.63.129.16", "metadata.google.internal", "a.localhost"]) {
    assert.throws(() => addressIn(`http://${host}/x.zip`, from), { code: "local-from-network" }, host);
  }
  for (const host of ["[64:ff9b::a00:7]", "[64:ff9b:1::a00:7]", "[2002:7f00:1::]", "[2001::1]", "[::7f00:1]"]) {
    assert.throws(() => addressIn(`http://${host}/x.zip`, from), { code: "local-from-network" }, host);
  }
  for (const host of ["10.0.0.7", "172.31.0.1", "192.168.1.1", "100.64.0.1", "[fd12::1]", "[::ffff:192.168.1.1]"]) {
    assert.throws(() => addressIn(`http://${host}/x.zip`, from), { code: "local-from-network" }, host);
    for (const found of [inside, local]) assert.equal(addressIn(`http://${host}/x`, found), `http://${host}/x`);
  }
  for (const host of ["archives.example", "[2001:db8::1]", "localhost.example", "172.32.0.1"]) {
    assert.equal(addressIn(`https://${host}/x.zip`, from), `https://${host}/x.zip`);
  }
});

for (const location of ["https://169.254.169.254/latest/meta-data", "https://192.168.1.1/reboot", "https://[::1]/x"]) {
  test(`a redirect cannot do so either: ${location}`, async () => {
    await using site = await openSite();
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = async (url) => {
      asked.push(String(url));
      return new Response(null, { status: 302, headers: { location } });
    };
    const manager = await site.open({ fetch });
    await assert.rejects(manager.repositories.add("https://packages.example/repository.json"), {
      code: "bad-redirect",
    });
    assert.deepEqual(asked, ["https://packages.example/repository.json"]);
  });
}

/** Sends pieces until the client closes the connection, and counts them. */
function endless(piece: Buffer, pauseMs: number, headers: OutgoingHttpHeaders = {}) {
  const sent = { bytes: 0, open: 0 };
  const handler = (_request: IncomingMessage, response: ServerResponse) => {
    sent.open += 1;
    response.writeHead(200, headers);
    const sending = setInterval(() => {
      if (response.writableNeedDrain) return;
      sent.bytes += piece.length;
      response.write(piece);
    }, pauseMs);
    response.on("close", () => {
      sent.open -= 1;
      clearInterval(sending);
    });
  };
  return { sent, handler };
}

const ZEROS = gzipSync(Buffer.alloc(1024 * 1024));
for (const path of ["/repository.json", "/packages.json", ARCHIVE]) {
  for (const [what, piece, headers, says] of [
    ["never ends", Buffer.alloc(64 * 1024, "x"), {}, /larger than|more than|wrong size/],
    ["unpacks without end", ZEROS, { "content-encoding": "gzip" }, /larger than|more than|wrong size/],
  ] as const) {
    test(`a body that ${what} is cut off at its limit, nothing is changed and nothing stays: ${path}`, async () => {
      await using server = await openFileServer();
      await using site = await openSite();
      const url = putRepository(server, [{}], { updateTimestamp: 1 });
      const limits = { maxRepositoryBytes: 65_536, maxPackagesBytes: 1_048_576, maxArchiveBytes: 1_048_576 };
      const manager = await site.open({ limits, signal: AbortSignal.timeout(60_000) });
      await manager.repositories.add(url);
      putRepository(server, [{}, { version: "2.0" }], { updateTimestamp: 2 });
      const { sent, handler } = endless(piece, 1, headers);
      server.instead.set(path, handler);
      const [refreshed] = await manager.refresh();
      const [installed] = await manager.install(`${ID}@1.0.0`);
      assert.match((path === ARCHIVE ? installed : refreshed)?.fault?.message ?? "", says);
      assert.deepEqual(await site.files(), {});
      const left = await readdir(join(site.root, ".backplane"), { recursive: true });
      assert.deepEqual(
        left.filter((name) => /\.(part|left|held)$/.test(name)),
        [],
      );
      while (sent.open > 0) await sleep(5);
    });
  }

  test(`a body that comes byte by byte is given up on: ${path}`, async () => {
    await using server = await openFileServer();
    await using site = await openSite();
    const url = putRepository(server, [{}], { updateTimestamp: 1 });
    const limits = { silenceMs: 500, minBytesPerS: 500, maxAttempts: 1 };
    const manager = await site.open({ limits, signal: AbortSignal.timeout(60_000) });
    await manager.repositories.add(url);
    putRepository(server, [{}, { version: "2.0" }], { updateTimestamp: 2 });
    server.instead.set(path, endless(Buffer.from(" "), 20).handler);
    const [refreshed] = await manager.refresh();
    const [installed] = await manager.install(`${ID}@1.0.0`);
    const { fault } = (path === ARCHIVE ? installed : refreshed) ?? {};
    assert.equal(fault?.code, "unreachable");
    assert.match(fault.message, /less than 500 bytes per second/);
  });
}

test("mix-and-match: files of two states of a signed repository are never used together", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const sign = (counter: number) => ({ key: SIGNING_KEY, counter, issued: NOW_MS / 1_000 });
  const put = (version: string, counter: number) =>
    putRepository(server, [{ version }], { updateTimestamp: counter, sign: sign(counter) });
  const manager = await site.open();
  await manager.repositories.add(put("1.0.0", 1));
  const before = new Map(server.files);
  put("2.0.0", 2);
  const after = new Map(server.files);
  const of = (files: Map<string, Buffer>, path: string) => files.get(path) ?? assert.fail(path);

  server.files.set("/packages.json", of(before, "/packages.json"));
  assert.equal((await manager.refresh())[0]?.fault?.code, "packages-sha256");
  server.files.set("/packages.json", of(after, "/packages.json"));
  server.files.set("/repository.json", of(before, "/repository.json"));
  const [older] = await manager.refresh();
  assert.deepEqual([older?.fault?.code, older?.fault?.details.reason], ["index-refused", "rollback"]);
  server.files.set("/repository.json", of(after, "/repository.json"));
  assert.equal((await manager.refresh())[0]?.fault, undefined);
  server.files.set(`/archives/${ID}/0-2.0.0.zip`, of(before, ARCHIVE));
  const [failed] = await manager.install(ID);
  assert.match(failed?.fault?.code ?? "", /^wrong-(size|sha256)$/);
  assert.deepEqual(await site.files(), {});
});

test("an address of a file on another machine, or an invalid one, is reported", async () => {
  await using site = await openSite();
  const manager = await site.open();
  for (const url of ["file://elsewhere/repository.json", "file:///a%2Fb.json"]) {
    await assert.rejects(manager.repositories.add(url), { name: "ManagerFault" }, url);
  }
});

test("a repository's own name is stored without control characters and direction marks", async () => {
  await using server = await openFileServer();
  await using site = await openSite();
  const manager = await site.open();
  const url = putRepository(server, [{}], { name: "\u001b[2JTools\u202e\u0007" });
  assert.equal((await manager.repositories.add(url)).name, "[2JTools");
});
