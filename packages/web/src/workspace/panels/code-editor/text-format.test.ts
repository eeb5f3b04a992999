import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeText, encodeText } from "./text-format.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

for (const [what, text] of Object.entries({
  "plain newlines": "a\nb\n",
  "Windows newlines": "a\r\nb\r\n",
  "old Mac newlines": "a\rb\r",
  "a byte order mark": "\ufeffa\nb",
  "no newline at all": "ä😀",
  "no content": "",
})) {
  test(`a text with ${what} is saved as it was read`, () => {
    const decoded = decodeText(bytes(text));
    assert.ok(decoded);
    assert.doesNotMatch(decoded.text, /\r|\ufeff/);
    assert.deepEqual(encodeText(decoded.text, decoded.format), bytes(text));
  });
}

test("mixed newlines become the most frequent kind", () => {
  assert.equal(decodeText(bytes("a\r\nb\r\nc\nd"))?.format.newline, "\r\n");
  assert.equal(decodeText(bytes("a\nb\nc\r\nd"))?.format.newline, "\n");
});

test("bytes that are not UTF-8 text are refused", () => {
  assert.equal(decodeText(new Uint8Array([0x61, 0])), undefined);
  assert.equal(decodeText(new Uint8Array([0xff, 0xfe])), undefined);
  assert.equal(decodeText(new Uint8Array([0xe4])), undefined);
});
