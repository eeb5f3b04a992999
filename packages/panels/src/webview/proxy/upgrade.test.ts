import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type TestContext, test } from "node:test";
import { WebSocket, WebSocketServer } from "ws";
import { untilAsserted } from "../../../../../scripts/testing/until.ts";
import { openSite } from "../site-under-test.suite.ts";
import { enter, openUnderTest, type UnderTest, type Visitor } from "../webviews-under-test.suite.ts";

type Headers = Record<string, string>;

/** A socket from a page of the frame. */
const open = (under: UnderTest, { host, frame, cookie }: Visitor, headers: Headers = {}, protocols: string[] = []) =>
  new WebSocket(`ws://127.0.0.1:${under.port}/sock?a=1`, protocols, {
    headers: { host, cookie: `a=1; ${cookie}`, origin: frame, ...headers },
  });

async function statusOf(socket: WebSocket): Promise<number> {
  const [, response] = (await once(socket, "unexpected-response")) as [unknown, IncomingMessage];
  socket.on("error", () => {});
  socket.terminate();
  return response.statusCode ?? 0;
}

async function openEcho(t: TestContext) {
  const site = await openSite(t, (_request, response) => response.writeHead(404).end());
  const server = new WebSocketServer({ server: site.server, path: "/sock" });
  const asked: IncomingMessage[] = [];
  server.on("connection", (socket, request) => {
    asked.push(request);
    socket.on("message", (data, isBinary) => socket.send(data, { binary: isBinary }));
  });
  server.on("headers", (headers) => headers.push("Set-Cookie: s=1; SameSite=Lax", "Set-Cookie: backplane_pass=x"));
  t.after(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  return { ...site, asked, server };
}

test("a page's WebSocket ends with the access of its pass", async (t) => {
  const under = await openUnderTest(t);
  const site = await openEcho(t);
  const visitor = await enter(under, site.origin);
  const socket = open(under, visitor);
  await once(socket, "open");
  const closed = once(socket, "close");
  under.access.end("ada");
  await closed;
  assert.equal(await statusOf(open(under, visitor)), 403);
  await untilAsserted(() => assert.equal(under.access.followed(), 0));
});

test("a page's WebSocket works both ways, with the site's origin, cookies and protocol", async (t) => {
  const under = await openUnderTest(t);
  const site = await openEcho(t);
  const visitor = await enter(under, site.origin);
  const socket = open(under, visitor, {}, ["chat"]);
  const [[{ headers }]] = (await Promise.all([once(socket, "upgrade"), once(socket, "open")])) as [
    [IncomingMessage],
    unknown,
  ];
  assert.deepEqual(headers["set-cookie"], ["s=1; SameSite=None; Secure; Partitioned"]);
  const large = Buffer.alloc(2_000_000, 7);
  socket.send(large);
  const [echoed] = (await once(socket, "message")) as [Buffer];
  assert.deepEqual(echoed, large);
  const [request = assert.fail()] = site.asked;
  assert.deepEqual([request.headers.origin, request.headers.cookie, request.url], [site.origin, "a=1", "/sock?a=1"]);
  assert.equal(socket.protocol, "chat");
  socket.close(1000, "bye");
  assert.equal((await once(socket, "close"))[0], 1000);
});

test("a WebSocket without a pass, from another origin, or to a refused address is refused", async (t) => {
  const under = await openUnderTest(t);
  const site = await openEcho(t);
  const visitor = await enter(under, site.origin);
  assert.equal(await statusOf(open(under, visitor, { cookie: "" })), 403);
  assert.equal(await statusOf(open(under, visitor, { origin: "http://w-other.localhost:8790" })), 403);
  assert.equal(await statusOf(open(under, visitor, { origin: "http://localhost:8790" })), 403);
  assert.equal(await statusOf(open(under, await enter(under, "http://10.0.0.1/"))), 403);
  assert.equal(await statusOf(open(under, await enter(under, "http://[::1]:3000/"))), 403);
  assert.equal(await statusOf(open(under, await enter(under, "http://127.0.0.1:2/"))), 502);
  assert.equal(site.asked.length, 0);
});

test("a name that resolves to a private address after the page was loaded is refused", async (t) => {
  let address = "127.0.0.1";
  const under = await openUnderTest(t, { resolveName: async () => [{ address, family: 4 }] });
  const site = await openEcho(t);
  const visitor = await enter(under, `http://rebinding.example:${site.port}/`);
  assert.equal((await visitor.get("/")).status, 404);
  address = "192.168.0.1";
  assert.equal(await statusOf(open(under, visitor)), 403);
});

test("a site's refusal and one socket too many are passed on; an idle socket is closed", async (t) => {
  const under = await openUnderTest(t, { limits: { maxSocketsPerSite: 1, socketIdleMs: 5_000 } });
  const plain = await openSite(t, (_request, response) => response.writeHead(404).end());
  assert.equal(await statusOf(open(under, await enter(under, plain.origin))), 502);
  const site = await openEcho(t);
  const visitor = await enter(under, site.origin);
  const first = open(under, visitor);
  await once(first, "open");
  assert.equal(await statusOf(open(under, visitor)), 429);
  await once(first, "close");
  const second = open(under, visitor);
  await once(second, "open");
  second.terminate();
});

test("the site's end of a socket closes with the page's", async (t) => {
  const under = await openUnderTest(t);
  const site = await openEcho(t);
  const socket = open(under, await enter(under, site.origin));
  await once(socket, "open");
  const [client = assert.fail()] = site.server.clients;
  socket.terminate();
  await once(client, "close");
});

test("a server that closes does not wait for the sockets of pages", async (t) => {
  const under = await openUnderTest(t);
  const site = await openEcho(t);
  const socket = open(under, await enter(under, site.origin));
  await once(socket, "open");
  const closed = once(socket, "close");
  await under.app.close();
  await closed;
});
