import assert from "node:assert/strict";
import { test } from "node:test";
import { namedLinks, safeLink } from "./links.ts";

test("only web addresses become links", () => {
  assert.equal(safeLink("https://example.com/a?b#c"), "https://example.com/a?b#c");
  assert.equal(safeLink("HTTP://example.com"), "http://example.com/");
  for (const address of [
    "javascript:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>",
    "file:///etc/passwd",
    "mailto:a@example.com",
    "//example.com",
    "/packages",
    "https://",
    "https:example.com",
    "https://known.example@other.example/",
    "",
  ]) {
    assert.equal(safeLink(address), undefined, address);
  }
});

test("what is not a link stays text", () => {
  assert.deepEqual(namedLinks({ source: "https://example.com/x", chat: "room 7" }), [
    { name: "Source", text: "https://example.com/x", href: "https://example.com/x" },
    { name: "Chat", text: "room 7", href: undefined },
  ]);
});
