import assert from "node:assert/strict";
import { test } from "node:test";
import { createBacklog, MAX_WAITING_BYTES } from "./backlog.ts";

test("while the thread for video is behind, pictures are left out, up to a key picture that fits", () => {
  const { add, waiting } = createBacklog();
  assert.equal(add("a", true, MAX_WAITING_BYTES - 10), true);
  assert.equal(add("a", false, 11), false);
  assert.equal(add("a", false, 1), false, "it needs the one that was left out");
  assert.equal(add("b", false, 10), true, "nothing of this stream was left out");
  Atomics.sub(waiting, 0, MAX_WAITING_BYTES);
  assert.equal(add("a", false, 1), false);
  assert.equal(add("a", true, 1), true);
  assert.equal(add("a", false, 1), true);
  assert.equal(Atomics.load(waiting, 0), 2);
});
