import assert from "node:assert/strict";
import { test } from "node:test";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import { MAX_ICON_LENGTH } from "./limits.ts";
import { isSiteOrigin, readTracker } from "./tracker-messages.ts";

const said = (message: object) => readTracker({ backplane: "webview", ...message });

test("a tracker's messages are read", () => {
  const page = { event: "page", url: "https://a.example", x: 1, y: 2, height: 3, hasUserActivation: true };
  assert.deepEqual(said({ ...page, title: " Two\n words " }), {
    ...{ event: "page", url: "https://a.example/", title: "Two words", hasUserActivation: true },
    scroll: { x: 1, y: 2, height: 3 },
  });
  assert.deepEqual(said({ event: "title", title: "" }), { event: "title", title: "" });
  assert.deepEqual(said({ event: "scroll", x: 0, y: 12.4, height: 900 }), {
    event: "scroll",
    scroll: { x: 0, y: 12, height: 900 },
  });
  assert.deepEqual(said({ event: "leaving" }), { event: "leaving", url: undefined, hasUserActivation: false });
});

test("what anything else says is not", () => {
  for (const other of [null, undefined, 1, "page", [], {}, { event: "page", url: "https://a.example" }]) {
    assert.equal(readTracker(other), undefined);
  }
  assert.equal(said({ event: "page", url: "javascript:alert(1)" }), undefined);
  assert.equal(said({ event: "page", url: 7 }), undefined);
  assert.equal(said({ event: "page", url: `https://a.example/${"a".repeat(10_000)}` }), undefined);
  assert.equal(said({ event: "eval" }), undefined);
});

test("wrong types and sizes become nothing, or fit", () => {
  assert.deepEqual(said({ event: "scroll", x: "1", y: Number.NaN, height: Infinity }), {
    event: "scroll",
    scroll: { x: 0, y: 0, height: 0 },
  });
  const long = said({ event: "title", title: "a".repeat(1_000_000) });
  assert.equal(long?.event === "title" && long.title.length, PANELS_LIMITS.maxTitleLength);
});

test("an icon is a small picture that comes as data", () => {
  const icon = "data:image/png;base64,AAAA";
  assert.deepEqual(said({ event: "icon", icon }), { event: "icon", icon });
  for (const other of ["https://a.example/favicon.ico", "data:text/html,a", `${icon}${"A".repeat(MAX_ICON_LENGTH)}`]) {
    assert.deepEqual(said({ event: "icon", icon: other }), { event: "icon", icon: undefined });
  }
});

test("only hosts of proxied sites speak as trackers", () => {
  const frames = "http://*.localhost:8790";
  assert.equal(isSiteOrigin("http://w-0a1b.localhost:8790", frames), true);
  for (const other of [
    "http://s-tab-0.localhost:8790",
    "http://w-0a1b.localhost:8791",
    "https://w-0a1b.localhost:8790",
    "http://localhost:8790",
    "http://w-.localhost:8790",
    "http://w-a.b.localhost:8790",
    "http://w-a.evil.example",
    "null",
    "",
  ]) {
    assert.equal(isSiteOrigin(other, frames), false, other);
  }
});

test("a fault of the proxy comes with its words and its reason", () => {
  const words = { url: "https://a.example/", title: "No", detail: "Because", reason: "address-refused" };
  assert.deepEqual(said({ event: "failed", ...words }), { event: "failed", ...words });
  const bad = said({ event: "failed", url: 5, title: {}, detail: "", reason: "x".repeat(1_000) });
  assert.deepEqual(bad, {
    ...{ event: "failed", url: undefined, title: undefined, detail: undefined },
    reason: "x".repeat(40),
  });
});
