import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { WebSocket } from "ws";
import { html } from "../site-under-test.suite.ts";
import { enter, openUnderTest } from "../webviews-under-test.suite.ts";

/** The one address that the proxy may reach, and a service of this machine at the same port of another address. */
const ALLOWED = "127.0.0.2";
const INSIDE = "127.0.0.3";
const NOTHING_THERE = "127.0.0.4";

/** A name server of an attacker: it gives the next answer of the script each time, and the last one from then on. */
function scriptedNames(...script: string[][]) {
  const asked: string[][] = [];
  return {
    asked,
    resolveName: async () => {
      const answer = script[Math.min(asked.length, script.length - 1)] ?? [];
      asked.push(answer);
      return answer.map((address) => ({ address, family: 4 }));
    },
  };
}

async function listen(t: TestContext, host: string, port: number, body: string) {
  const heard = { connections: 0, requests: 0 };
  const server = createServer((_request, response) => {
    heard.requests += 1;
    // Every request needs a new connection, and so a new answer of the name server.
    html(response, body, { connection: "close" });
  });
  server.on("connection", () => {
    heard.connections += 1;
  });
  server.on("upgrade", (_request, socket) => socket.destroy());
  server.listen(port, host);
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, heard };
}

async function start(t: TestContext, names: ReturnType<typeof scriptedNames>) {
  const site = await listen(t, ALLOWED, 0, "<p>the site</p>");
  const inside = await listen(t, INSIDE, site.port, "<p>a secret of this machine</p>");
  const proxyAllow = [`${ALLOWED}/32`, `${NOTHING_THERE}/32`];
  const under = await openUnderTest(t, { resolveName: names.resolveName, proxyAllow });
  const visitor = await enter(under, `http://rebinding.example:${site.port}/`);
  return { under, site, inside, visitor, address: `http://rebinding.example:${site.port}/` };
}

test("a name that moves to a private address between two requests is refused there, and the service behind it hears nothing", async (t) => {
  const names = scriptedNames([ALLOWED], [INSIDE]);
  const { visitor, inside } = await start(t, names);
  assert.match((await visitor.get("/")).body, /the site/);
  for (let n = 0; n < 3; n += 1) {
    const moved = await visitor.get("/");
    assert.equal(moved.status, 403);
    assert.doesNotMatch(moved.body, /secret/);
  }
  assert.equal(inside.heard.connections, 0);
});

test("each connection goes to the answer that was checked: the name is not asked again in between", async (t) => {
  const script = Array.from({ length: 40 }, (_, n) => [n % 2 === 0 ? ALLOWED : INSIDE]);
  const names = scriptedNames(...script);
  const { visitor, site, inside } = await start(t, names);
  const answers = await Promise.all(Array.from({ length: 20 }, () => visitor.get("/", { isPage: false })));
  const good = answers.filter(({ status, body }) => status === 200 && body.includes("the site")).length;
  const refused = answers.filter(({ status }) => status === 403).length;
  assert.deepEqual([good + refused, inside.heard.connections], [20, 0]);
  const checked = names.asked.filter(([address]) => address === ALLOWED).length;
  assert.ok(good > 0 && site.heard.connections <= checked, `${site.heard.connections} connections, ${checked} answers`);
});

test("a private address beside an allowed one is refused before any connection, in any order", async (t) => {
  for (const answer of [
    [ALLOWED, INSIDE],
    [INSIDE, ALLOWED],
    // A client that tries the next address when the first does not answer.
    [NOTHING_THERE, INSIDE],
    [ALLOWED, "0.0.0.0"],
    [ALLOWED, "::ffff:127.0.0.3"],
  ]) {
    const { visitor, site, inside } = await start(t, scriptedNames(answer));
    assert.equal((await visitor.get("/")).status, 403, answer.join());
    assert.deepEqual([site.heard.connections, inside.heard.connections], [0, 0], answer.join());
  }
});

test("a WebSocket and the check for framing are bound to the checked answer, too", async (t) => {
  const names = scriptedNames([ALLOWED], [INSIDE]);
  const { under, visitor, inside, address } = await start(t, names);
  assert.equal((await visitor.get("/")).status, 200);
  const socket = new WebSocket(`ws://127.0.0.1:${under.port}/sock`, {
    headers: { host: visitor.host, cookie: visitor.cookie, origin: visitor.frame },
  });
  const [, response] = (await once(socket, "unexpected-response")) as [unknown, IncomingMessage];
  assert.equal(response.statusCode, 403);
  socket.on("error", () => {}).terminate();
  const framing = await under.call("POST", "/api/panels/webview/ada/demo/framing", { url: address });
  assert.deepEqual(framing.body, { framing: "unknown", reason: "private-address" });
  assert.equal(inside.heard.connections, 0);
});

test("a name server that never answers is given up", async (t) => {
  const site = await listen(t, ALLOWED, 0, "");
  const under = await openUnderTest(t, {
    resolveName: () => new Promise(() => {}),
    limits: { connectTimeoutMs: 100 },
  });
  const visitor = await enter(under, `http://silent.example:${site.port}/`);
  const { status } = await visitor.get("/");
  assert.ok(status === 502 || status === 504, String(status));
});
