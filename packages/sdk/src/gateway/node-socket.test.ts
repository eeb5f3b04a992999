import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { test } from "node:test";
import { WebSocketServer } from "ws";
import { encodeFrame } from "./frames.ts";
import { openNodeSocket } from "./node-socket.ts";

/** A client, and a peer that sends raw bytes. */
async function openAgainst(answer: (request: IncomingMessage, stream: Duplex) => void) {
  const streams: Duplex[] = [];
  const server = createServer().listen(0, "127.0.0.1");
  server.on("upgrade", (request, stream) => {
    streams.push(stream);
    stream.on("error", () => {});
    answer(request, stream);
  });
  await once(server, "listening");
  const texts: string[] = [];
  const events: string[] = [];
  const opened = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const socket = openNodeSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`, {
    onOpen() {
      events.push("open");
      opened.resolve();
    },
    onText: (text) => texts.push(text),
    onClose() {
      events.push("close");
      closed.resolve();
    },
  });
  return {
    socket,
    texts,
    events,
    opened: opened.promise,
    closed: closed.promise,
    async [Symbol.asyncDispose]() {
      for (const stream of streams) stream.destroy();
      server.close();
      await closed.promise;
    },
  };
}

const acceptOf = ({ headers }: IncomingMessage): string =>
  createHash("sha1").update(`${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");

const handshake = (accept: string, more = ""): string =>
  `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n${more}\r\n`;

/** A frame as a server writes it, unmasked and of fewer than 126 bytes. */
const frame = (first: number, payload: string | Buffer): Buffer => {
  const body = Buffer.from(payload);
  return Buffer.concat([Buffer.from([first, body.length]), body]);
};

/** What a client sent, unmasked: opcode and payload of each short frame. */
function readMasked(bytes: Buffer): { opcode: number; payload: Buffer }[] {
  if (bytes.length < 6) return [];
  const length = (bytes[1] ?? 0) & 0x7f;
  assert.equal((bytes[1] ?? 0) & 0x80, 0x80, "a client masks");
  const payload = Buffer.from(bytes.subarray(6, 6 + length).map((byte, index) => byte ^ (bytes[2 + (index % 4)] ?? 0)));
  return [{ opcode: (bytes[0] ?? 0) & 0x0f, payload }, ...readMasked(bytes.subarray(6 + length))];
}

test("messages of every length arrive complete and in order in both directions, also those sent just before closing", async () => {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const heard: string[] = [];
  const peerClosed = Promise.withResolvers<number>();
  server.on("connection", (peer) => {
    peer.on("message", (data) => {
      heard.push(String(data));
      peer.send(String(data));
    });
    peer.on("close", peerClosed.resolve);
  });
  const messages = [0, 1, 125, 126, 127, 65_535].map((length) => "ä".repeat(length / 2) + "x".repeat(length % 2));
  const echoed: string[] = [];
  const closed = Promise.withResolvers<void>();
  const socket = openNodeSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
    onOpen() {
      for (const message of messages) socket.send(message);
      socket.send("y".repeat(70_000));
    },
    onText(text) {
      echoed.push(text);
      if (echoed.length === messages.length) socket.close();
    },
    onClose: closed.resolve,
  });
  await peerClosed.promise;
  await closed.promise;
  assert.deepEqual(echoed, messages);
  assert.deepEqual(heard, [...messages, "y".repeat(70_000)]);
  server.close();
});

test("pings are answered with their payload, fragments are joined, and bytes may arrive in any chunks", async () => {
  const received: Buffer[] = [];
  const answered = Promise.withResolvers<void>();
  await using client = await openAgainst(async (request, stream) => {
    stream.on("data", (chunk: Buffer) => {
      received.push(chunk);
      if (readMasked(Buffer.concat(received)).length === 2) answered.resolve();
    });
    const bytes = Buffer.concat([
      frame(0x01, "frag"),
      frame(0x89, "are you there"),
      frame(0x8a, ""),
      frame(0x00, "men"),
      frame(0x80, "ted ä".normalize()),
      frame(0x82, Buffer.from([0xff])),
      frame(0x89, ""),
    ]);
    // The first frames come with the handshake, the rest byte by byte.
    stream.write(Buffer.concat([Buffer.from(handshake(acceptOf(request))), bytes.subarray(0, 9)]));
    for (const byte of bytes.subarray(9)) await new Promise((sent) => stream.write(Buffer.from([byte]), sent));
  });
  await answered.promise;
  assert.deepEqual(client.texts, ["fragmented ä"]);
  const pongs = readMasked(Buffer.concat(received)).map(({ opcode, payload }) => [opcode, String(payload)]);
  assert.deepEqual(pongs, [
    [0xa, "are you there"],
    [0xa, ""],
  ]);
});

const faults: [what: string, bytes: Buffer, code: number][] = [
  ["a masked frame", encodeFrame(0x1, Buffer.from("x"), Buffer.from([1, 2, 3, 4])), 1002],
  ["a reserved bit", frame(0xc1, "x"), 1002],
  ["an unknown opcode", frame(0x83, "x"), 1002],
  ["a fragmented ping", frame(0x09, "x"), 1002],
  ["a long ping", Buffer.from([0x89, 126, 0, 126]), 1002],
  ["a continuation without a beginning", frame(0x80, "x"), 1002],
  ["a beginning within a message", Buffer.concat([frame(0x01, "x"), frame(0x81, "y")]), 1002],
  ["text that is not UTF-8", frame(0x81, Buffer.from([0xff])), 1007],
  ["a message over 64 KiB", Buffer.from([0x81, 127, 0, 0, 0, 0, 0, 1, 0, 1]), 1009],
  ["an impossible length", Buffer.from([0x81, 127, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), 1009],
  [
    "a message over 64 KiB in parts",
    Buffer.concat([Buffer.from([0x01, 126, 0xff, 0xff]), Buffer.alloc(65_535, "x"), frame(0x80, "xx")]),
    1009,
  ],
];
for (const [what, bytes, code] of faults) {
  test(`${what} ends the connection with ${code}; messages before it are delivered, messages after it are not`, async () => {
    const closeFrame = Promise.withResolvers<Buffer>();
    await using client = await openAgainst((request, stream) => {
      stream.once("data", closeFrame.resolve);
      stream.write(
        Buffer.concat([Buffer.from(handshake(acceptOf(request))), frame(0x81, "before"), bytes, frame(0x81, "after")]),
      );
    });
    const [{ opcode, payload } = { opcode: 0, payload: Buffer.alloc(2) }] = readMasked(await closeFrame.promise);
    assert.deepEqual([opcode, payload.readUInt16BE(0)], [0x8, code]);
    assert.deepEqual(client.texts, ["before"]);
  });
}

test("a server with a wrong key, or with an extension that was not offered, is not a gateway", async () => {
  const answers = [
    () => handshake("AAAAAAAAAAAAAAAAAAAAAAAAAAA="),
    (request: IncomingMessage) => handshake(acceptOf(request), "Sec-WebSocket-Extensions: permessage-deflate\r\n"),
    (request: IncomingMessage) => handshake(acceptOf(request), "Sec-WebSocket-Protocol: chat\r\n"),
  ];
  for (const answer of answers) {
    await using client = await openAgainst((request, stream) => stream.write(answer(request)));
    await client.closed;
    assert.deepEqual(client.events, ["close"]);
  }
});

test("a close frame that nobody answers ends the connection after a moment; one from the gateway is answered", async () => {
  await using mute = await openAgainst((request, stream) => stream.write(handshake(acceptOf(request))));
  await mute.opened;
  mute.socket.close();
  mute.socket.send("too late");
  await mute.closed;
  assert.deepEqual(mute.events, ["open", "close"]);

  const answer = Promise.withResolvers<Buffer>();
  await using polite = await openAgainst((request, stream) => {
    stream.once("data", (chunk: Buffer) => {
      answer.resolve(chunk);
      stream.end();
    });
    stream.write(Buffer.concat([Buffer.from(handshake(acceptOf(request))), frame(0x88, Buffer.from([0x03, 0xe9]))]));
  });
  assert.equal(readMasked(await answer.promise)[0]?.opcode, 0x8);
  await polite.closed;
});

test("closing before it is open ends the attempt", async () => {
  await using client = await openAgainst(() => {});
  client.socket.close();
  await client.closed;
  assert.deepEqual(client.events, ["close"]);
});
