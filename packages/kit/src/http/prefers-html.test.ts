import assert from "node:assert/strict";
import { test } from "node:test";
import { prefersHtml } from "./prefers-html.ts";

for (const [accept, expected] of [
  [undefined, false],
  ["*/*", false],
  ["application/json", false],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true],
  ["text/html;q=0.5, application/json", false],
  ["application/json;q=0.5, TEXT/HTML", true],
  ["text/html;q=0", false],
  ["text/html;q=x", false],
] as const) {
  test(`Accept: ${accept} asks for ${expected ? "a page" : "data"}`, () => assert.equal(prefersHtml(accept), expected));
}
