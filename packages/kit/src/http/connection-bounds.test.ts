import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { boundConnections } from "./connection-bounds.ts";
import { HTTP_LIMITS } from "./limits.ts";

test("a connection with more than 16 unanswered requests is cut off, and others are served", async (t) => {
  assert.equal(HTTP_LIMITS.maxUnanswered, 16);
  let asked = 0;
  const held: (() => void)[] = [];
  const server = createServer((request, response) => {
    if (request.socket.destroyed) return;
    asked += 1;
    if (request.url === "/held") held.push(() => response.end());
    else response.end("ok");
  }).listen(0, "127.0.0.1");
  const inFlight = boundConnections(server, [], HTTP_LIMITS);
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;

  const greedy = connect(port, "127.0.0.1").on("error", () => {});
  greedy.resume().write("GET /held HTTP/1.1\r\nHost: x\r\n\r\n".repeat(10_000));
  await new Promise((resolve) => greedy.once("close", resolve));
  assert.equal(asked, HTTP_LIMITS.maxUnanswered);
  await inFlight.none(5_000);
  assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), "ok");
});

test("a client that waits for its answers may send any number of requests on one connection", async (t) => {
  const server = createServer((_request, response) => response.end("ok")).listen(0, "127.0.0.1");
  boundConnections(server, [], HTTP_LIMITS);
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  for (let i = 0; i < 100; i += 1) {
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    const [chunk] = await once(socket, "data");
    assert.match(String(chunk), /^HTTP\/1\.1 200/);
  }
  socket.destroy();
});
