import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { REFUSED_ADDRESSES } from "../guard/refused-addresses.suite.ts";
import { selfSigned } from "../self-signed.suite.ts";
import { html, openSite } from "../site-under-test.suite.ts";
import { enter, openUnderTest } from "../webviews-under-test.suite.ts";

const notFound = async () => {
  throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
};

test("every refused address shows a page that says so, and reports it to the panel", async (t) => {
  const under = await openUnderTest(t, { proxyAllow: [] });
  for (const [address, trick] of REFUSED_ADDRESSES) {
    const visitor = await enter(under, address);
    const { status, body, headers } = await visitor.get(visitor.path);
    assert.equal(status, 403, `${address}: ${trick}`);
    const isPort = address.startsWith("http://8.8.8.8:") || address.startsWith("https://8.8.8.8:");
    assert.match(
      body,
      isPort ? /<h1>The proxy does not use this port<\/h1>/ : /<h1>The proxy does not connect to this address<\/h1>/,
    );
    assert.match(body, isPort ? /data-reason="port-refused"/ : /data-reason="address-refused"/);
    assert.match(String(headers["content-security-policy"]), /^default-src 'none';.*sandbox allow-scripts/);
  }
});

test("an unknown name, a closed port and a silent site: each page says which", async (t) => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  t.after(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const under = await openUnderTest(t, { resolveName: notFound, limits: { headersTimeoutMs: 1_000 } });
  const reasonFor = async (url: string) => {
    const visitor = await enter(under, url);
    const { status, body } = await visitor.get(visitor.path);
    return [status, /data-reason="([^"]+)"/.exec(body)?.[1]];
  };
  assert.deepEqual(await reasonFor("http://none.example/a?secret=1"), [502, "name-not-found"]);
  assert.deepEqual(await reasonFor("http://127.0.0.1:2/"), [502, "connection-refused"]);
  assert.deepEqual(await reasonFor(`http://127.0.0.1:${port}/`), [504, "timed-out"]);
});

test("an invalid certificate is refused, and a port without https says so", async (t) => {
  const site = createSecureServer(selfSigned("127.0.0.1"), (_request, response) => response.end());
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  t.after(() => site.close());
  const under = await openUnderTest(t);
  const visitor = await enter(under, `https://127.0.0.1:${(site.address() as AddressInfo).port}/`);
  const { status, body } = await visitor.get("/");
  assert.equal(status, 502);
  assert.match(body, /The certificate of this site is not valid/);
  const plain = await openSite(t, (_request, response) => response.end());
  const secure = await enter(under, plain.origin.replace("http:", "https:"));
  assert.match((await secure.get("/")).body, /The site does not support https/);
});

test("a page that is too large, as announced or decompressed, is refused or cut off", async (t) => {
  const under = await openUnderTest(t, {
    limits: { maxPageBytes: 100_000, maxAnswerBytes: 200_000, maxRequestBytes: 1_000 },
  });
  const bomb = gzipSync(Buffer.alloc(10_000_000, 32));
  const site = await openSite(t, (request, response) => {
    request.resume();
    if (request.url === "/bomb")
      return void response.writeHead(200, { "content-type": "text/html", "content-encoding": "gzip" }).end(bomb);
    if (request.url === "/endless") {
      response.writeHead(200, { "content-type": "application/json" });
      const more = () =>
        void (response.destroyed || response.write(Buffer.alloc(50_000))
          ? setImmediate(more)
          : response.once("drain", more));
      return more();
    }
    html(response, "x".repeat(100_001), { "content-length": "100001" });
  });
  const visitor = await enter(under, site.origin);
  const large = await visitor.get("/large");
  assert.deepEqual([large.status, /too large/.test(large.body)], [502, true]);
  await assert.rejects(visitor.get("/bomb"));
  await assert.rejects(visitor.get("/endless", { isPage: false }));
  const sent = await visitor.get("/up", { method: "POST", body: "x".repeat(1_001), isPage: false });
  assert.equal(sent.status, 413);
});

test("a download shows a message instead of a blank frame; as part of a page it is passed on", async (t) => {
  const under = await openUnderTest(t);
  const site = await openSite(t, ({ url }, response) => {
    const disposition = url === "/attached" ? { "content-disposition": "attachment; filename=a.txt" } : {};
    response
      .writeHead(200, { "content-type": url === "/attached" ? "text/plain" : "application/zip", ...disposition })
      .end("PK");
  });
  const visitor = await enter(under, site.origin);
  for (const path of ["/attached", "/a.zip"])
    assert.match((await visitor.get(path)).body, /This is a file to download/);
  assert.equal((await visitor.get("/a.zip", { isPage: false })).body, "PK");
  const saving = await enter(under, site.origin, { allowed: { downloads: true } });
  const saved = await saving.get("/attached");
  assert.deepEqual([saved.body, saved.headers["content-disposition"]], ["PK", "attachment; filename=a.txt"]);
  assert.match(String(saved.headers["content-security-policy"]), /^sandbox [^;]* allow-downloads;/);
  assert.doesNotMatch(String(saved.headers["content-security-policy"]), /allow-popups/);
});

test("requests to one site are limited (429); a slot is free again when an answer has ended", async (t) => {
  const under = await openUnderTest(t, { limits: { maxRequestsPerSite: 2 } });
  const waiting: (() => void)[] = [];
  const both = Promise.withResolvers<void>();
  const site = await openSite(t, (_request, response) => {
    waiting.push(() => response.end("done"));
    if (waiting.length >= 2) both.resolve();
  });
  const visitor = await enter(under, site.origin);
  const answers = [visitor.get("/1", { isPage: false }), visitor.get("/2", { isPage: false })];
  await both.promise;
  const refused = await visitor.get("/3", { isPage: false });
  assert.deepEqual([refused.status, refused.headers["retry-after"]], [429, "1"]);
  for (const end of waiting.splice(0)) end();
  for (const { body } of await Promise.all(answers)) assert.equal(body, "done");
  const fourth = visitor.get("/4", { isPage: false });
  while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
  for (const end of waiting.splice(0)) end();
  assert.equal((await fourth).status, 200);
});

test("requests of one person are limited, however many names a site has; others are not affected", async (t) => {
  const under = await openUnderTest(t, { limits: { maxRequestsPerPerson: 2, maxRequests: 100 } });
  const waiting: (() => void)[] = [];
  const open = () =>
    openSite(t, ({ url }, response) => {
      if (url === "/more") response.end("more");
      else waiting.push(() => response.end("done"));
    });
  const [one, other] = [await open(), await open()];
  const ada = [await enter(under, one.origin), await enter(under, other.origin)];
  const bob = await enter(under, one.origin, { owner: "lab", person: "bob" });
  const answers = ada.map((visitor) => visitor.get("/1", { isPage: false }));
  while (waiting.length < 2) await new Promise((resolve) => setImmediate(resolve));
  for (const visitor of ada) assert.equal((await visitor.get("/more", { isPage: false })).status, 429);
  answers.push(bob.get("/3", { isPage: false }));
  while (waiting.length < 3) await new Promise((resolve) => setImmediate(resolve));
  for (const end of waiting.splice(0)) end();
  for (const { status } of await Promise.all(answers)) assert.equal(status, 200);
});

test("when a client leaves before the answer, the request to the site is cancelled and its slot freed", async (t) => {
  const under = await openUnderTest(t, { limits: { maxRequestsPerSite: 1 } });
  const arrived = Promise.withResolvers<IncomingMessage>();
  const site = await openSite(t, (request, response) => {
    if (request.url === "/waits") arrived.resolve(request);
    else response.end("ok");
  });
  const visitor = await enter(under, site.origin);
  const { host, cookie } = visitor;
  const leaving = httpRequest({ host: "127.0.0.1", port: under.port, path: "/waits", headers: { host, cookie } });
  leaving.on("error", () => {}).end();
  const request = await arrived.promise;
  assert.equal((await visitor.get("/", { isPage: false })).status, 429);
  const closed = once(request.socket, "close");
  leaving.destroy();
  await closed;
  while ((await visitor.get("/", { isPage: false })).status === 429)
    await new Promise((resolve) => setImmediate(resolve));
});

test("the log contains no pass, no cookie and no query of an address", async (t) => {
  const under = await openUnderTest(t);
  const site = await openSite(t, (_request, response) => response.destroy());
  const visitor = await enter(under, `${site.origin}/?secret=hidden-word`);
  assert.equal((await visitor.get(visitor.path)).status, 502);
  const text = [...under.lines, ...under.notes].join("\n");
  assert.doesNotMatch(text, /hidden-word/);
  assert.ok(!text.includes(visitor.cookie.slice("backplane_pass=".length)));
});

test("an answer that is not HTTP, or contradicts itself, cannot be read; it is the site's fault, not ours", async (t) => {
  const head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n";
  const answers = [
    "<html>no head",
    "HTTP/1.1 99 No\r\n\r\n",
    `${head}content-length: 2\r\ncontent-length: 3\r\n\r\nok!`,
    `${head}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    `${head}content-length: 99999999999999999999\r\n\r\n`,
    `${head}x: a\rset-cookie: b=c\r\n\r\n`,
    `${head}transfer-encoding: chunked\r\n\r\nzz\r\n`,
  ];
  let answer = "";
  const site = createServer((socket) => socket.on("error", () => {}).once("data", () => socket.end(answer)));
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  t.after(() => site.close());
  const visitor = await enter(await openUnderTest(t), `http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
  for (answer of answers) {
    const { status, body } = await visitor.get("/");
    assert.deepEqual([status, /data-reason="([^"]+)"/.exec(body)?.[1]], [502, "unreadable"], answer);
  }
});
