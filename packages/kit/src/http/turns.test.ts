import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { pipeline, Transform } from "node:stream";
import { type TestContext, test } from "node:test";
import { HTTP_LIMITS } from "./limits.ts";
import { type AnswerRequest, createTurns } from "./turns.ts";

const ASK = "GET /held HTTP/1.1\r\nHost: x\r\n\r\n";

async function serve(t: TestContext, answer: AnswerRequest) {
  const turns = createTurns(HTTP_LIMITS.maxUnanswered);
  const server = createServer(turns.take(answer)).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { turns, port: (server.address() as AddressInfo).port };
}

test("a connection with more than 16 unanswered requests is cut off, and others are served", async (t) => {
  assert.equal(HTTP_LIMITS.maxUnanswered, 16);
  const { turns, port } = await serve(t, (request, response) => {
    if (request.url !== "/held") response.end("ok");
  });
  const greedy = connect(port, "127.0.0.1").on("error", () => {});
  greedy.resume().write(ASK.repeat(10_000));
  await new Promise((resolve) => greedy.once("close", resolve));
  await turns.none(120_000);
  assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), "ok");
});

for (const [what, rest] of [
  ["a body", "Content-Length: 1\r\n\r\nx"],
  ["more than 100 headers", `${"a: b\r\n".repeat(100)}\r\n`],
] as const) {
  test(`a pipelined request with ${what} does not wait: its connection is cut off`, async (t) => {
    const { turns, port } = await serve(t, () => {});
    const greedy = connect(port, "127.0.0.1").on("error", () => {});
    greedy.resume().write(`${ASK}GET /held HTTP/1.1\r\nHost: x\r\n${rest}`);
    await new Promise((resolve) => greedy.once("close", resolve));
    await turns.none(120_000);
  });
}

test("a request with a body may come when the answer before it has arrived whole, though its source has not ended", async (t) => {
  const { port } = await serve(t, async (request, response) => {
    if (request.method === "POST") return response.end(Buffer.concat(await request.toArray()));
    response.writeHead(200, { "content-length": 5 }).write("whole");
    setTimeout(() => response.end(), 50);
  });
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  const pieces = socket.iterator();
  async function ask(request: string, answer: string): Promise<void> {
    socket.write(request);
    for (let text = ""; !text.endsWith(answer); ) {
      const { value, done } = await pieces.next();
      assert.ok(!done, "the connection is open");
      text += value;
    }
  }
  for (let turn = 1; turn <= 3; turn += 1) {
    await ask(ASK, "whole");
    await ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody", "body");
  }
  socket.destroy();
});

test("pipelined requests are answered one after the other: the next one is not begun before the last answer is sent", async (t) => {
  let begun = 0;
  const held: (() => void)[] = [];
  const { turns, port } = await serve(t, (_request, response) => {
    begun += 1;
    held.push(() => response.end(`answer ${begun}\n`));
  });
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  socket.write(ASK.repeat(5));
  let text = "";
  for (let turn = 1; turn <= 5; turn += 1) {
    // A request of its own that is answered meanwhile: what was sent before has been read.
    while (begun < turn) await await connectAndClose(port);
    assert.equal(begun, turn);
    held[turn - 1]?.();
    while (!text.includes(`answer ${turn}\n`)) text += (await once(socket, "data"))[0];
  }
  socket.destroy();
  await turns.none(120_000);
});

async function connectAndClose(port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.destroy();
}

test("a body that is refused while it is piped does not end the process, and counts as answered", async (t) => {
  const { turns, port } = await serve(t, (request, response) => {
    const refuse = new Transform({ transform: (_chunk, _encoding, done) => done(new Error("too large")) });
    pipeline(request, refuse, () => response.writeHead(413).end());
  });
  const answer = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "x".repeat(1_001) });
  assert.equal(answer.status, 413);
  await turns.none(120_000);
});

test("a client that waits for its answers may send any number of requests on one connection", async (t) => {
  const { port } = await serve(t, (_request, response) => response.end("ok"));
  const socket = connect(port, "127.0.0.1");
  for (let i = 0; i < 100; i += 1) {
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    const [chunk] = await once(socket, "data");
    assert.match(String(chunk), /^HTTP\/1\.1 200/);
  }
  socket.destroy();
});
