import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { trials } from "../../../../scripts/testing/long.ts";
import { type FrameLimits, FrameReader } from "./frames.ts";
import { type ClientFrame, encodeClose, encodeFrame, encodeText, OPCODE } from "./testing/client-frames.ts";
import { type Heard, recordingSink } from "./testing/recording-sink.ts";

const LIMITS: FrameLimits = { maxPayloadBytes: 1_000, maxSkippedBytes: 10_000 };

function hear(chunks: readonly Buffer[], limits = LIMITS): Heard[] {
  const sink = recordingSink();
  const reader = new FrameReader(limits);
  for (const chunk of chunks) reader.read(chunk, sink);
  return sink.heard;
}

function hearFrames(...frames: ClientFrame[]): Heard[] {
  return hear([Buffer.concat(frames.map(encodeFrame))]);
}

const { continuation, text, binary, close, ping, pong } = OPCODE;

test("a text frame is a message, in each of the three forms of its length", () => {
  for (const lengthBits of [7, 16, 64] as const) {
    assert.deepEqual(hearFrames({ opcode: text, payload: "hello", lengthBits }), [{ text: "hello" }]);
  }
  assert.deepEqual(hearFrames({ opcode: text, payload: "x".repeat(300) }), [{ text: "x".repeat(300) }]);
  assert.deepEqual(hearFrames({ opcode: text }), [{ text: "" }]);
});

test("text beyond ASCII arrives as it was sent, also when a character is cut in two", () => {
  const sent = "naïve – 大 – 🛰 – \u0000 – \ufeff";
  const bytes = Buffer.from(sent);
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const heard = hearFrames(
      { opcode: text, payload: bytes.subarray(0, cut), isLast: false },
      { opcode: continuation, payload: bytes.subarray(cut) },
    );
    assert.deepEqual(heard, [{ text: sent }]);
  }
});

test("control frames may come between the fragments of a message", () => {
  assert.deepEqual(
    hearFrames(
      { opcode: text, payload: "one ", isLast: false },
      { opcode: ping, payload: "still there?" },
      { opcode: continuation, payload: "two ", isLast: false },
      { opcode: pong },
      { opcode: continuation, payload: "three" },
      { opcode: text, payload: "next" },
    ),
    [{ ping: "still there?" }, { pong: true }, { text: "one two three" }, { text: "next" }],
  );
});

test("bytes are read the same in whatever pieces they arrive", () => {
  const stream = Buffer.concat([
    encodeFrame({ opcode: text, payload: "é".repeat(100), isLast: false }),
    encodeFrame({ opcode: ping, payload: "p".repeat(125) }),
    encodeFrame({ opcode: continuation, payload: "é".repeat(50) }),
    encodeFrame({ opcode: binary, payload: Buffer.alloc(200, 0xff) }),
    encodeFrame({ opcode: text, payload: "x".repeat(1_001) }),
    encodeText("y".repeat(1_000)),
    encodeClose(4_001, "done"),
    encodeText("never heard"),
  ]);
  const whole = hear([Buffer.from(stream)]);
  assert.deepEqual(whole.at(-1), { close: 4_001 });
  assert.equal(whole.length, 6);
  const oneByOne = Array.from(stream, (byte) => Buffer.from([byte]));
  assert.deepEqual(hear(oneByOne), whole);
  const cuts = fc.array(fc.integer({ min: 0, max: stream.length }), { maxLength: 20 });
  fc.assert(
    fc.property(cuts, (at) => {
      const bounds = [0, ...at.toSorted((a, b) => a - b), stream.length];
      const chunks = bounds.slice(1).map((end, i) => Buffer.from(stream.subarray(bounds[i], end)));
      assert.deepEqual(hear(chunks), whole);
    }),
    { numRuns: trials(500) },
  );
});

const VIOLATIONS: [what: string, frames: ClientFrame[], code: number][] = [
  ["a frame that is not masked", [{ opcode: text, payload: "x", isMasked: false }], 1002],
  ...[1, 2, 4].map((reserved): [string, ClientFrame[], number] => [
    `reserved bit ${reserved}`,
    [{ opcode: text, reserved }],
    1002,
  ]),
  ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((opcode): [string, ClientFrame[], number] => [
    `opcode ${opcode}`,
    [{ opcode }],
    1002,
  ]),
  ["a continuation of nothing", [{ opcode: continuation }], 1002],
  ["a continuation after the last fragment", [{ opcode: text }, { opcode: continuation }], 1002],
  ["a message within a message", [{ opcode: text, isLast: false }, { opcode: text }], 1002],
  ["binary within text", [{ opcode: text, isLast: false }, { opcode: binary }], 1002],
  ["a fragmented ping", [{ opcode: ping, isLast: false }], 1002],
  ["a fragmented close", [{ opcode: close, isLast: false }], 1002],
  ["a ping of 126 bytes", [{ opcode: ping, payload: Buffer.alloc(126) }], 1002],
  ["a pong with a long length", [{ opcode: pong, lengthBits: 64 }], 1002],
  ["a close frame of one byte", [{ opcode: close, payload: "x" }], 1002],
  ["text that is not UTF-8", [{ opcode: text, payload: Buffer.from([0x61, 0xff]) }], 1007],
  ["a surrogate in UTF-8", [{ opcode: text, payload: Buffer.from([0xed, 0xa0, 0x80]) }], 1007],
  ["text that ends within a character", [{ opcode: text, payload: Buffer.from([0xe5, 0xa4]) }], 1007],
];

test("whatever breaks the protocol is a violation with its code, and nothing is read after it", () => {
  for (const [what, frames, code] of VIOLATIONS) {
    const heard = hear([...frames.map(encodeFrame), encodeText("later")]);
    assert.deepEqual(heard.at(-1), { violation: code }, what);
    assert.ok(!heard.some((event) => "text" in event && event.text === "later"), what);
  }
});

test("a close frame's code is one that may be sent, and its reason UTF-8", () => {
  for (const code of [1000, 1001, 1002, 1003, 1007, 1011, 1014, 3000, 4999]) {
    assert.deepEqual(hear([encodeClose(code, "é")]), [{ close: code }]);
  }
  for (const code of [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65_535]) {
    assert.deepEqual(hear([encodeClose(code)]), [{ violation: 1002 }], String(code));
  }
  assert.deepEqual(hear([encodeClose(1000, Buffer.from([0xc3]))]), [{ violation: 1007 }]);
  assert.deepEqual(hearFrames({ opcode: close }), [{ close: 1005 }]);
});

test("a message over the limit and a binary one are skipped, and the next is read", () => {
  assert.deepEqual(
    hearFrames(
      { opcode: text, payload: "x".repeat(1_001) },
      { opcode: binary, payload: "x" },
      { opcode: text, payload: "x".repeat(600), isLast: false },
      { opcode: continuation, payload: "x".repeat(600), isLast: false },
      { opcode: ping },
      { opcode: continuation, payload: Buffer.from([0xff]) },
      { opcode: text, payload: "next" },
    ),
    [{ refused: "too-large" }, { refused: "binary" }, { ping: "" }, { refused: "too-large" }, { text: "next" }],
  );
});

test("a message beyond what is skipped is a violation as soon as it is announced", () => {
  const announced = encodeFrame({ opcode: text, payload: "x".repeat(10_001) }).subarray(0, 4);
  assert.deepEqual(hear([announced]), [{ violation: 1009 }]);
  const endless = Buffer.from([0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0]);
  assert.deepEqual(hear([endless]), [{ violation: 1009 }]);
  const fragments = Array.from({ length: 11 }, (_, i) =>
    encodeFrame({ opcode: i === 0 ? binary : continuation, payload: Buffer.alloc(1_000), isLast: false }),
  );
  assert.deepEqual(hear(fragments), [{ violation: 1009 }]);
});

test("nothing is read once the sink is done", () => {
  const sink = recordingSink();
  const onText = (said: string) => {
    sink.heard.push({ text: said });
    Object.assign(sink, { isDone: true });
  };
  new FrameReader(LIMITS).read(Buffer.concat([encodeText("one"), encodeText("two")]), Object.assign(sink, { onText }));
  assert.deepEqual(sink.heard, [{ text: "one" }]);
});

test("a reader is at rest between messages only", () => {
  const sink = recordingSink();
  const reader = new FrameReader(LIMITS);
  const states = Array.from(
    Buffer.concat([encodeFrame({ opcode: text, payload: "a", isLast: false }), encodeFrame({ opcode: continuation })]),
    (byte) => {
      reader.read(Buffer.from([byte]), sink);
      return reader.isAtRest;
    },
  );
  assert.deepEqual(states, [...Array(states.length - 1).fill(false), true]);
});
