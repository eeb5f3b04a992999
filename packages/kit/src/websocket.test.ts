import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { WebSocket } from "ws";
import { until } from "./bus/until.ts";
import { Problem } from "./problems.ts";
import { type Connection, createSocketServer, type SocketLimits } from "./websocket.ts";

type Seen = { faults: unknown[]; messages: string[]; closed: number; connections: Connection<{ name: string }>[] };

async function serve(t: TestContext, limits: Partial<SocketLimits> = {}) {
  const seen: Seen = { faults: [], messages: [], closed: 0, connections: [] };
  const sockets = createSocketServer<{ name: string }>(
    {
      accept: (request) => {
        if (request.headers.origin === "https://evil.example") throw new Problem("not-found");
        return { name: String(request.headers["x-name"] ?? "anonymous") };
      },
      onMessage: (connection, text) => {
        seen.connections.push(connection);
        seen.messages.push(text);
        if (text === "throw") throw new Error("no such luck");
        connection.send(`${connection.data.name} said ${text}`);
      },
      onClose: () => {
        seen.closed += 1;
      },
      onFault: (error) => seen.faults.push(error),
    },
    { limits },
  );
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  sockets.attach(server, ["/", "/ws"]);
  t.after(async () => {
    await sockets.close();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const dial = (path = "/", options = {}) => new WebSocket(`ws://127.0.0.1:${port}${path}`, options);
  return { seen, sockets, port, dial };
}

/** The HTTP status with which an upgrade was refused. */
async function refusal(socket: WebSocket): Promise<number | undefined> {
  socket.on("error", () => {});
  const [, response] = await once(socket, "unexpected-response");
  return response.statusCode;
}

test("a message reaches the area with the connection's data and the answer comes back", async (t) => {
  const { dial } = await serve(t);
  const socket = dial("/ws", { headers: { "x-name": "ada" } });
  await once(socket, "open");
  socket.send("hello");
  assert.equal(String((await once(socket, "message"))[0]), "ada said hello");
});

test("another path, and a request the area refuses, get an HTTP answer instead of an upgrade", async (t) => {
  const { dial } = await serve(t);
  assert.equal(await refusal(dial("/elsewhere")), 404);
  assert.equal(await refusal(dial("/", { headers: { origin: "https://evil.example" } })), 404);
});

test("deflate is never agreed to", async (t) => {
  const { dial } = await serve(t);
  const socket = dial("/", { perMessageDeflate: true });
  await once(socket, "open");
  assert.equal(socket.extensions, "");
});

test("a frame over the limit closes that connection with 1009 and no other", async (t) => {
  const { dial, sockets } = await serve(t, { maxPayloadBytes: 100 });
  const [greedy, modest] = [dial(), dial()];
  await Promise.all([once(greedy, "open"), once(modest, "open")]);
  greedy.send("x".repeat(101));
  assert.equal((await once(greedy, "close"))[0], 1009);
  modest.send("x".repeat(100));
  await once(modest, "message");
  assert.equal(sockets.connections(), 1);
});

test("a handler that throws costs its own connection, with 1011, and nothing else", async (t) => {
  const { dial, seen, sockets } = await serve(t);
  const [unlucky, other] = [dial(), dial()];
  await Promise.all([once(unlucky, "open"), once(other, "open")]);
  unlucky.send("throw");
  assert.equal((await once(unlucky, "close"))[0], 1011);
  assert.equal(seen.faults.length, 1);
  await until("only the other is left", () => sockets.connections() === 1);
});

test("a binary frame closes with 1003", async (t) => {
  const { dial } = await serve(t);
  const socket = dial();
  await once(socket, "open");
  socket.send(Buffer.from([1, 2, 3]));
  assert.equal((await once(socket, "close"))[0], 1003);
});

test("one connection more than the bound of an address is refused with 429, and one that ends makes room", async (t) => {
  const { dial, seen } = await serve(t, { maxPerAddress: 2 });
  const [first, second] = [dial(), dial()];
  await Promise.all([once(first, "open"), once(second, "open")]);
  assert.equal(await refusal(dial()), 429);
  first.close();
  await until("one has closed", () => seen.closed === 1);
  await once(dial(), "open");
});

test("one connection more than the process's bound is refused with 503", async (t) => {
  const { dial } = await serve(t, { maxConnections: 1 });
  await once(dial(), "open");
  assert.equal(await refusal(dial()), 503);
});

/** A peer that upgrades by hand and then neither reads nor answers. */
async function mute(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(
    "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  );
  await once(socket, "readable");
  return socket;
}

test("a peer that answers no ping is gone after the missed ones, one that answers stays", async (t) => {
  const { port, dial, sockets, seen } = await serve(t, { heartbeatMs: 20, missedPings: 2 });
  const lively = dial();
  await once(lively, "open");
  await mute(port);
  assert.equal(sockets.connections(), 2);
  await until("one has closed", () => seen.closed === 1);
  assert.equal(lively.readyState, WebSocket.OPEN);
});

test("a peer that never reads is cut off at the bound", async (t) => {
  const { port, seen, sockets } = await serve(t, { maxUnsentBytes: 64 * 1024 });
  const stuck = await mute(port);
  stuck.pause();
  // A masked text frame "x": the area then answers, which hands us the connection.
  stuck.write(Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x78]));
  await until("the area saw it", () => seen.connections.length === 1);
  const [connection] = seen.connections;
  let sent = 0;
  while (connection?.send("x".repeat(16 * 1024)) && sent < 10_000) {
    sent += 1;
    await new Promise(setImmediate);
  }
  assert.ok(sent < 10_000);
  await until("it is gone", () => sockets.connections() === 0);
  assert.equal(connection?.send("after"), false);
});

test("closing says 1001 to everybody, waits for them, and cuts off who does not answer", async (t) => {
  const { port, dial, sockets } = await serve(t, { closeGraceMs: 50 });
  const polite = dial();
  await once(polite, "open");
  await mute(port);
  const goodbye = once(polite, "close");
  await sockets.close();
  assert.equal((await goodbye)[0], 1001);
  assert.equal(sockets.connections(), 0);
  assert.equal(await refusal(dial()), 503);
});
