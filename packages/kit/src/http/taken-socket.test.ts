import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { HTTP_LIMITS } from "./limits.ts";
import { takeSocket } from "./taken-socket.ts";
import { createTurns } from "./turns.ts";

const ASK = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
type Counted = Socket & { parser?: unknown };

/** Takes the connection of each request for `/`, and says so on it. */
async function serve(t: TestContext, listener: RequestListener = () => {}) {
  const { promise: taken, resolve } = Promise.withResolvers<Counted>();
  const begun: string[] = [];
  const turns = createTurns(HTTP_LIMITS.maxUnanswered);
  const answer = turns.take((request, response) => {
    begun.push(request.url ?? "");
    listener(request, response);
    if (request.url !== "/") response.end("answered");
    if (response.headersSent) return;
    const socket = takeSocket(response);
    response.writeHead(200).flushHeaders();
    socket.write("taken");
    resolve(socket);
  });
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").setEncoding("latin1");
  t.after(() => {
    client.destroy();
    server.close();
  });
  let text = "";
  client.on("data", (piece) => {
    text += piece;
  });
  async function arrived(wanted: string): Promise<string> {
    while (!text.includes(wanted)) await once(client, "data");
    return text;
  }
  return { client, taken, begun, turns, server, arrived };
}

test("Node keeps no request, answer, parser or listener of a connection that was taken", async (t) => {
  const kept: WeakRef<object>[] = [];
  const { client, taken, turns, arrived } = await serve(t, (request, response) => {
    kept.push(new WeakRef(request), new WeakRef(response));
  });
  client.write(ASK);
  assert.match(await arrived("taken"), /\r\nConnection: close\r\n/);
  const socket = await taken;
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let tries = 0; kept.some((one) => one.deref()) && tries < 100; tries += 1) {
    await new Promise(setImmediate);
    collect();
  }
  assert.deepEqual(
    kept.map((one) => one.deref()),
    [undefined, undefined],
  );
  assert.equal(socket.parser, null);
  const names = socket.eventNames().flatMap((event) => socket.listeners(event).map(({ name }) => name));
  assert.deepEqual(names.sort(), ["cutOff", "forget", "ignore", "onReadableStreamEnd"]);
  await turns.none(120_000);
  socket.write("and more");
  await arrived("and more");
  socket.end("the end");
  await arrived("the end");
  await once(client, "close");
});

test("an answer before it on the same connection changes nothing", async (t) => {
  const { client, taken, arrived } = await serve(t);
  client.write(ASK.replace("/", "/first"));
  await arrived("answered");
  client.write(ASK);
  await arrived("taken");
  const socket = await taken;
  await new Promise(setImmediate);
  assert.deepEqual([socket.parser, socket.destroyed, socket.timeout ?? 0], [null, false, 0]);
});

test("whoever sends more on a taken connection is cut off", async (t) => {
  const { client, begun, arrived } = await serve(t);
  client.write(ASK);
  await arrived("taken");
  client.write(ASK.replace("/", "/more"));
  await once(client, "close");
  assert.deepEqual(begun, ["/"]);
});

test("a request that came together with the one whose connection is taken is not begun: the client is cut off", async (t) => {
  const { client, begun, turns } = await serve(t);
  client.on("error", () => {}).write(ASK + ASK.replace("/", "/more"));
  await once(client, "close");
  await turns.none(120_000);
  assert.deepEqual(begun, ["/"]);
});

test("a client that ends its side ends a taken connection", async (t) => {
  const { client, taken, arrived } = await serve(t);
  client.write(ASK);
  await arrived("taken");
  const socket = await taken;
  client.end();
  await once(socket, "close");
});

test("a client that resets a taken connection does not end the process", async (t) => {
  const { client, taken, arrived } = await serve(t);
  client.write(ASK);
  await arrived("taken");
  const socket = await taken;
  client.resetAndDestroy();
  await new Promise((resolve) => socket.once("close", resolve));
});

test("a connection that is closed in the turn in which it is taken stays with Node", async (t) => {
  const { client, turns, taken, server } = await serve(t, (_request, response) => {
    response.on("close", () => server.emit("let go"));
  });
  server.prependListener("request", (_request, response) => process.nextTick(() => response.socket?.destroy()));
  client.on("error", () => {}).write(ASK);
  await once(server, "let go");
  assert.equal((await taken).destroyed, true);
  await turns.none(120_000);
});

test("with a version of Node that ends connections in another way, nothing is taken", async (t) => {
  const { client, begun, arrived } = await serve(t, (request, response) => {
    request.socket.removeAllListeners("close");
    assert.throws(() => takeSocket(response), /another way to end a connection/);
    begun.push("refused");
    response.writeHead(200).write("not taken");
  });
  client.write(ASK);
  await arrived("not taken");
  assert.deepEqual(begun, ["/", "refused"]);
});
