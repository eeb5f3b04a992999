import assert from "node:assert/strict";
import { test } from "node:test";
import { asksForPage } from "./asks-for-page.ts";

test("a browser that visits asks for a page; programs ask for data", () => {
  assert.ok(asksForPage("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"));
  assert.ok(asksForPage("TEXT/HTML"));
  for (const data of [undefined, "", "*/*", "application/json", "application/json, text/html;q=0.5", "text/html;q=0"]) {
    assert.ok(!asksForPage(data), data);
  }
});
