import assert from "node:assert/strict";
import { test } from "node:test";
import { PANELS_LIMITS, SOCKET_LIMITS } from "@backplane/contract/panels";
import { readBrowserMessage } from "./browser-messages.ts";

const read = (message: unknown) => readBrowserMessage(JSON.stringify(message));

test("a message has the fields of its type and no others", () => {
  assert.deepEqual(read({ type: "mounted", tabId: "a", workspaceId: "somebody-else's" }), {
    type: "mounted",
    tabId: "a",
  });
  assert.deepEqual(read({ type: "answer", id: "1", ok: true }), { type: "answer", id: "1", ok: true, value: null });
  assert.deepEqual(read({ type: "sharing", sharing: { active: false, displaySurface: "monitor", more: 1 } }), {
    type: "sharing",
    sharing: { active: false, displaySurface: null },
  });
  const both = { active: true, displaySurface: "browser", surfaces: ["monitor", "printer", "browser", "monitor"] };
  assert.deepEqual(read({ type: "sharing", sharing: both }), {
    type: "sharing",
    sharing: { active: true, displaySurface: "browser", surfaces: ["browser", "monitor"] },
  });
});

test("anything else is not a message", () => {
  const none = [
    ...[null, 1, "hello", [], {}, { type: "welcome" }, { type: "__proto__" }, { type: "hello" }],
    ...[{ type: "hello", ticket: 5 }, { type: "mounted" }, { type: "mounted", tabId: {} }],
    { type: "mounted", tabId: "a".repeat(65) },
    { type: "mounted", tabId: "../a" },
    { type: "answer", ok: true, value: 1 },
    { type: "answer", id: "1", ok: "yes" },
    { type: "answer", id: "1", ok: false, code: "no-such-fault", detail: "" },
    { type: "sharing", sharing: { active: "yes", displaySurface: null } },
    { type: "sharing", sharing: { active: true, displaySurface: "printer" } },
    { type: "sharing-declined" },
  ];
  for (const message of none) assert.equal(read(message), undefined, JSON.stringify(message));
  for (const text of ["", "{", "nonsense", "\u0000"]) assert.equal(readBrowserMessage(text), undefined);
});

test("a report keeps only an address that a web view may show, and a title of limited length", () => {
  const refused = [
    ...["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "blob:http://a/b", "about:blank", "nonsense"],
    ...["https://user:password@example.org/", 5, null, `https://example.org/${"a".repeat(PANELS_LIMITS.maxUrlLength)}`],
  ];
  for (const url of refused) {
    assert.deepEqual(read({ type: "report", tabId: "a", url }), { type: "report", tabId: "a" }, String(url));
  }
  assert.deepEqual(read({ type: "report", tabId: "a", url: "https://example.org/?q=1", title: "t".repeat(1_000) }), {
    ...{ type: "report", tabId: "a", url: "https://example.org/?q=1" },
    title: "t".repeat(PANELS_LIMITS.maxTitleLength),
  });
});

test("an answer that is nested too deeply to be serialised is not a message", () => {
  const nested = (depth: number) =>
    `{"type":"answer","id":"1","ok":true,"value":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  assert.equal(readBrowserMessage(nested(200_000)), undefined);
  assert.equal(readBrowserMessage(nested(SOCKET_LIMITS.maxAnswerDepth)), undefined);
  const deep = readBrowserMessage(nested(SOCKET_LIMITS.maxAnswerDepth - 1));
  assert.ok(deep && JSON.stringify(deep).length > SOCKET_LIMITS.maxAnswerDepth);
  const text = `${'[{"\\'.repeat(5_000)}`;
  assert.deepEqual(read({ type: "answer", id: "1", ok: true, value: text }), {
    ...{ type: "answer", id: "1", ok: true, value: text },
  });
});
