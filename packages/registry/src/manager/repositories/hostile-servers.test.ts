import assert from "node:assert/strict";
import { test } from "node:test";
import { openSite } from "../manager.suite.ts";
import { openFileServer, putPackages, putRepository } from "../repository-server.suite.ts";
import { addressIn } from "./fetch-list.ts";

const ID = "org.example.sample";
const ARCHIVE = `/archives/${ID}/0-1.0.0.zip`;

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
  const url = putPackages(server, Buffer.from(`{"packages":[${"{},".repeat(200_000)}{}]}`));
  const startedMs = performance.now();
  await assert.rejects(manager.repositories.add(url), { code: "packages-invalid", message: /\/packages\/0/ });
  assert.ok(performance.now() - startedMs < 10_000);
});

test("a remote repository cannot send a client to its own machine or to a cloud's metadata service", () => {
  const from = "https://packages.example/repository.json";
  for (const host of ["localhost:8790", "127.1.2.3", "[::1]", "[::ffff:127.0.0.1]", "0x7f.1", "169.254.169.254"]) {
    assert.throws(() => addressIn(`http://${host}/x.zip`, from), { code: "local-from-network" }, host);
    assert.equal(addressIn(`http://${host}/x.zip`, "http://localhost/repository.json"), `http://${host}/x.zip`);
  }
  for (const host of ["[fe80::1]", "[fd00:ec2::254]", "metadata.google.internal", "a.localhost"]) {
    assert.throws(() => addressIn(`http://${host}/x.zip`, from), { code: "local-from-network" }, host);
  }
  for (const host of ["10.0.0.7", "archives.example", "[2001:db8::1]", "localhost.example"]) {
    assert.equal(addressIn(`https://${host}/x.zip`, from), `https://${host}/x.zip`);
  }
});

test("a redirect cannot do so either", async () => {
  await using site = await openSite();
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (url) => {
    asked.push(String(url));
    return new Response(null, { status: 302, headers: { location: "https://169.254.169.254/latest/meta-data" } });
  };
  const manager = await site.open({ fetch });
  await assert.rejects(manager.repositories.add("https://packages.example/repository.json"), { code: "bad-redirect" });
  assert.deepEqual(asked, ["https://packages.example/repository.json"]);
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
