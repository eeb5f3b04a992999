import assert from "node:assert/strict";
import { test } from "node:test";
import { createEventParser } from "./event-parser.ts";

const LIMITS = { maxLineLength: 100, maxEventLength: 200 };

/** All events of the text, fed in pieces of this many characters. */
function read(text: string, size: number) {
  const parse = createEventParser(LIMITS);
  const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
  return pieces.flatMap((piece) => parse(piece)?.events ?? [{ name: "too large", data: "" }]);
}

test("the events are the same however the stream is split", () => {
  const text =
    '\uFEFF: ping\nretry: 2000\n: ping\n\nevent: authenticated\r\ndata: {"a":1}\r\n\r\nevent: timeout\rdata:\r\rdata: one\ndata:  two\ndata\n\nevent: dropped\n\n';
  const expected = [
    { name: "authenticated", data: '{"a":1}' },
    { name: "timeout", data: "" },
    { name: "message", data: "one\n two\n" },
  ];
  for (const size of [1, 2, 3, 5, 7, 11, 1_000]) assert.deepEqual(read(text, size), expected, `pieces of ${size}`);
});

test("retry is a number of milliseconds; anything else is ignored", () => {
  const parse = createEventParser(LIMITS);
  assert.equal(parse("retry: 2000\n")?.retryMs, 2_000);
  for (const value of ["soon", "-1", "1e3", "", "9999999999"]) {
    assert.equal(parse(`retry: ${value}\n`)?.retryMs, undefined, value);
  }
});

test("an event that is cut off by the end of the stream is dropped", () => {
  assert.deepEqual(read("event: timeout\ndata:\n", 4), []);
});

test("a line or an event that is too long ends the stream, in one chunk or several", () => {
  for (const size of [1, 7, 1_000]) {
    assert.equal(read(`data: ${"x".repeat(100)}\n\n`, size).at(0)?.name, "too large");
    assert.equal(read("x".repeat(101), size).at(-1)?.name, "too large");
    const large = `data: ${"x".repeat(50)}\n`.repeat(5);
    assert.ok(read(`${large}\n`, size).some(({ name }) => name === "too large"));
  }
});
