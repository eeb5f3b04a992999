import assert from "node:assert/strict";
import { test } from "node:test";
import { readAnswer } from "./http-answer.ts";

test("an answer is read once it is complete, by its length or by its last chunk", () => {
  const answers = {
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\nhello": { status: 200, closes: false },
    "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nConnection: close\r\n\r\n": { status: 404, closes: true },
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n": { status: 200, closes: false },
    "HTTP/1.1 204 No Content\r\n\r\n": { status: 204, closes: false },
  };
  for (const [text, answer] of Object.entries(answers)) {
    for (let length = 0; length < text.length; length++) assert.equal(readAnswer(text.slice(0, length)), undefined);
    assert.deepEqual(readAnswer(text), answer);
  }
});
