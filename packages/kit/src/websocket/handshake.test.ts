import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { WebSocket } from "ws";
import { acceptance } from "./handshake.ts";
import { serveEcho } from "./testing/echo-server.ts";
import { encodeRequest, type RawRequest } from "./testing/raw-client.ts";

async function ask(t: TestContext, request: RawRequest) {
  const { port } = await serveEcho(t);
  const socket = connect(port, "127.0.0.1");
  t.after(() => socket.destroy());
  socket.write(encodeRequest(request));
  const [first] = await once(socket, "data");
  const status = Number(String(first).split(" ", 2)[1]);
  if (status === 101) return { status, head: String(first), body: undefined };
  const [head = "", body = ""] = `${first}${await text(socket)}`.split("\r\n\r\n");
  return { status, head, body: JSON.parse(body) as { status: number; code: string; detail?: string } };
}

test("the answer proves that the key was understood", () => {
  // The example of RFC 6455, section 1.3.
  const answer = acceptance({ key: "dGhlIHNhbXBsZSBub25jZQ==", protocol: undefined });
  assert.match(answer, /^HTTP\/1\.1 101 .*\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=\r\n\r\n$/s);
});

const ACCEPTED: RawRequest[] = [
  {},
  { headers: { Upgrade: "WebSocket", Connection: "keep-alive, UPGRADE" } },
  { headers: { Upgrade: "h2c, websocket" } },
  { line: "GET /ws?room=1 HTTP/1.1" },
  { headers: { "Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits" } },
];

test("names in headers are found in lists and in any case; extensions are never accepted", async (t) => {
  for (const request of ACCEPTED) {
    const { status, head } = await ask(t, request);
    assert.equal(status, 101, JSON.stringify(request));
    assert.doesNotMatch(head, /extensions/i);
  }
});

const REFUSED: [what: string, request: RawRequest, status: number][] = [
  ["another method", { line: "POST / HTTP/1.1" }, 405],
  ["HTTP/1.0", { line: "GET / HTTP/1.0" }, 400],
  ["another protocol", { headers: { Upgrade: "h2c" } }, 400],
  ["no key", { headers: { "Sec-WebSocket-Key": undefined } }, 400],
  ["a key of 15 bytes", { headers: { "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAA" } }, 400],
  ["a key that is not base64", { headers: { "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25j!!==" } }, 400],
  ["two keys", { headers: { "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==, dGhlIHNhbXBsZSBub25jZQ==" } }, 400],
  ["protocols that are not names", { headers: { "Sec-WebSocket-Protocol": "a b" } }, 400],
  ["no version", { headers: { "Sec-WebSocket-Version": undefined } }, 426],
  ["an old version", { headers: { "Sec-WebSocket-Version": "8" } }, 426],
];

test("a handshake that is not one is refused with a problem that says why", async (t) => {
  for (const [what, request, status] of REFUSED) {
    const { head, body, ...answer } = await ask(t, request);
    assert.equal(answer.status, status, what);
    assert.equal(body?.status, status, what);
    assert.match(head, /\r\ncontent-type: application\/problem\+json\r\n/i, what);
    assert.match(head, /\r\nconnection: [^\r]*close/i, what);
  }
});

test("a client of another version learns ours", async (t) => {
  const { head } = await ask(t, { headers: { "Sec-WebSocket-Version": "25" } });
  assert.match(head, /\r\nSec-WebSocket-Version: 13\r\n/);
});

test("of the protocols that a client offers, the first is accepted", async (t) => {
  const { port } = await serveEcho(t);
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`, ["one", "two"]);
  await once(socket, "open");
  assert.equal(socket.protocol, "one");
});
