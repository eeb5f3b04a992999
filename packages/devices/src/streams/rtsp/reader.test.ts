import assert from "node:assert/strict";
import { test } from "node:test";
import { createRtspReader } from "./reader.ts";

const ANSWER =
  'RTSP/1.0 200 OK\r\nCSeq: 2\r\nWWW-Authenticate: Basic realm="a"\r\nwww-authenticate: Digest realm="a"\r\nContent-Length: 4\r\n\r\nv=0\n';
const MEDIA = Buffer.from([0x24, 0, 0, 5, 1, 2, 3, 4, 5]);
const ASKED = "OPTIONS rtsp://camera/ RTSP/1.0\r\nCSeq: 9\r\n\r\n";
const ALL = Buffer.concat([Buffer.from(ANSWER), MEDIA, Buffer.from(ASKED), MEDIA, Buffer.from(`\r\n${ANSWER}`)]);

function readAll(pieces: readonly Buffer[]): string[] {
  const heard: string[] = [];
  const read = createRtspReader({
    answer: ({ status, headers, body }) =>
      heard.push(`${status} ${headers.get("www-authenticate")?.length} ${body.trim()}`),
    asked: () => heard.push("asked"),
    media: (channel, bytes) => heard.push(`${channel}:${bytes.toString("hex")}`),
  });
  for (const piece of pieces) read(piece);
  return heard;
}
const EXPECTED = ["200 2 v=0", "0:0102030405", "asked", "0:0102030405", "200 2 v=0"];

test("answers, media between them, and what the camera asks itself", () => {
  assert.deepEqual(readAll([ALL]), EXPECTED);
});

test("cut at every byte, nothing is different", () => {
  for (let at = 0; at <= ALL.length; at += 1) {
    assert.deepEqual(readAll([ALL.subarray(0, at), ALL.subarray(at)]), EXPECTED);
  }
  assert.deepEqual(readAll(Array.from(ALL, (byte) => Buffer.from([byte]))), EXPECTED);
});

test("a header is one line, whatever is in it", () => {
  const values: string[] = [];
  const read = createRtspReader({
    answer: ({ headers }) => values.push(...(headers.get("session") ?? [])),
    asked: assert.fail,
    media: assert.fail,
  });
  read(Buffer.from("RTSP/1.0 200 OK\r\nSession: 1\nX: 2\rY: 3\r\n\r\n"));
  assert.deepEqual(values, ["1 X: 2 Y: 3"]);
});

test("what is no RTSP, has no end or a wrong length is refused", () => {
  for (const text of [
    "HTTP/1.1 200 OK\r\n\r\n",
    "220 mail.example.org ESMTP\r\n\r\n",
    "\u0000\u0001\u0002\r\n\r\n",
    "RTSP/1.0 200 OK\r\nContent-Length: -4\r\n\r\n",
    "RTSP/1.0 200 OK\r\nContent-Length: 70000\r\n\r\n",
    "RTSP/1.0 200 OK\r\nContent-Length: many\r\n\r\n",
    `RTSP/1.0 200 OK\r\nA: ${"a".repeat(20_000)}`,
  ])
    assert.throws(() => readAll([Buffer.from(text)]), Error, text.slice(0, 40));
});

test("media of the largest size, and many at once", () => {
  const large = Buffer.concat([Buffer.from([0x24, 1, 0xff, 0xff]), Buffer.alloc(65_535, 7)]);
  assert.equal(readAll([Buffer.concat([large, large, large])]).length, 3);
});

test("bytes that were changed are read or refused, and nothing else happens", () => {
  let seed = 7;
  const next = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % below;
  };
  for (let round = 0; round < 2_000; round += 1) {
    const bytes = Buffer.from(ALL);
    for (let i = 0; i <= next(4); i += 1) bytes[next(bytes.length)] = next(256);
    try {
      readAll([bytes.subarray(0, next(bytes.length) + 1)]);
    } catch (error) {
      assert.match((error as Error).message, /RTSP|no end|wrong length|too long/);
    }
  }
});
