import assert from "node:assert/strict";
import { test } from "node:test";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import { MAX_ICON_LENGTH } from "./limits.ts";
import { createKnownSites, createThrottle, isSiteOrigin, MAX_MESSAGES_PER_SECOND, readTracker } from "./tracker.ts";

const said = (message: object) => readTracker({ backplane: "webview", ...message });

test("messages of a tracker are read", () => {
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

test("other messages are ignored", () => {
  for (const other of [null, undefined, 1, "page", [], {}, { event: "page", url: "https://a.example" }]) {
    assert.equal(readTracker(other), undefined);
  }
  assert.equal(said({ event: "page", url: "javascript:alert(1)" }), undefined);
  assert.equal(said({ event: "page", url: 7 }), undefined);
  assert.equal(said({ event: "page", url: `https://a.example/${"a".repeat(10_000)}` }), undefined);
  assert.equal(said({ event: "eval" }), undefined);
});

test("wrong types are dropped, and long texts are cut", () => {
  assert.deepEqual(said({ event: "scroll", x: "1", y: Number.NaN, height: Infinity }), {
    event: "scroll",
    scroll: { x: 0, y: 0, height: 0 },
  });
  const long = said({ event: "title", title: "a".repeat(1_000_000) });
  assert.equal(long?.event === "title" && long.title.length, PANELS_LIMITS.maxTitleLength);
});

test("an icon is a small PNG or ICO in a data URL, whatever the page says it is", () => {
  const dataUrl = (type: string, bytes: readonly number[]) =>
    `data:image/${type};base64,${btoa(String.fromCharCode(...bytes))}`;
  const png = (side: number) => [
    ...[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52],
    ...[0, 0, side >> 8, side & 255, 0, 0, side >> 8, side & 255],
  ];
  const small = dataUrl("png", png(64));
  const ico = dataUrl("x-icon", [0, 0, 1, 0, 1, 0]);
  for (const icon of [small, ico, dataUrl("vnd.microsoft.icon", png(64))])
    assert.deepEqual(said({ event: "icon", icon }), { event: "icon", icon });
  for (const other of [
    ...["https://a.example/favicon.ico", "data:text/html,a", "data:image/png;base64,%", dataUrl("png", [1, 2, 3])],
    // Small in bytes, but not to draw: nested <use>, and pictures with very many pixels.
    ...['data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>', dataUrl("svg+xml", png(64))],
    ...[dataUrl("png", png(20_000)), dataUrl("x-icon", png(20_000)), dataUrl("x-icon", [0x47, 0x49, 0x46, 0x38])],
    `${small}${"A".repeat(MAX_ICON_LENGTH)}`,
  ]) {
    assert.deepEqual(said({ event: "icon", icon: other }), { event: "icon", icon: undefined }, other.slice(0, 60));
  }
});

test("only hosts of proxied sites can be trackers", () => {
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

test("a failure of the proxy comes with its texts and its reason", () => {
  const words = { url: "https://a.example/", title: "No", detail: "Because", reason: "address-refused" };
  assert.deepEqual(said({ event: "failed", ...words }), { event: "failed", ...words });
  const bad = said({ event: "failed", url: 5, title: {}, detail: "", reason: "x".repeat(1_000) });
  assert.deepEqual(bad, {
    ...{ event: "failed", url: undefined, title: undefined, detail: undefined },
    reason: "x".repeat(40),
  });
});

function underTest() {
  let nowMs = 0;
  let due: { run: () => void; atMs: number } | undefined;
  const heard: string[] = [];
  const throttle = createThrottle({
    now: () => nowMs,
    setTimer(run, afterMs) {
      due = { run, atMs: nowMs + afterMs };
      return () => {
        due = undefined;
      };
    },
  });
  return {
    heard,
    throttle,
    say: (kind: string, text: string) => throttle.take(kind, () => heard.push(text)),
    pass(ms: number) {
      nowMs += ms;
      if (due && due.atMs <= nowMs) {
        const { run } = due;
        due = undefined;
        run();
      }
    },
  };
}

test("messages at a human pace are delivered at once and in order", () => {
  const { heard, say, pass } = underTest();
  for (let n = 0; n < 1_000; n += 1) {
    say("scroll", String(n));
    pass(16);
  }
  assert.deepEqual(
    heard,
    Array.from({ length: 1_000 }, (_, n) => String(n)),
  );
});

test("of a flood, the last message of each kind is delivered in order at the end of the second", () => {
  const { heard, say, pass } = underTest();
  for (let n = 0; n < 5_000; n += 1) say("page", `page ${n}`);
  say("title", "title 1");
  say("page", "page last");
  say("title", "title last");
  assert.equal(heard.length, MAX_MESSAGES_PER_SECOND);
  pass(1_000);
  assert.deepEqual(heard.slice(MAX_MESSAGES_PER_SECOND), ["page last", "title last"]);
  say("page", "and on");
  assert.equal(heard.at(-1), "and on");
});

test("nothing is delivered after closing", () => {
  const { heard, say, pass, throttle } = underTest();
  for (let n = 0; n < 5_000; n += 1) say("page", `page ${n}`);
  throttle.close();
  pass(2_000);
  assert.equal(heard.length, MAX_MESSAGES_PER_SECOND);
});

/** Like the server: one host per site. */
const pass = async (url: string) =>
  url.includes("down")
    ? ({ ok: false, reason: "down" } as const)
    : ({ ok: true, src: `http://w-${new URL(url).host.split(".")[0]}.localhost/.backplane/enter?pass=x` } as const);

test("a page may report addresses of the site that its frame shows, and no others", () => {
  const sites = createKnownSites(pass);
  sites.learn("http://w-a.localhost/.backplane/enter?pass=x", "https://a.example/start");
  assert.equal(sites.check("http://w-a.localhost", "https://a.example/other"), "match");
  assert.equal(sites.check("http://w-a.localhost", undefined), "match");
  for (const url of ["https://bank.example/", "http://a.example/", "https://a.example:444/"]) {
    assert.equal(sites.check("http://w-a.localhost", url), "mismatch", url);
  }
});

test("the server is asked about a frame that went to another site by itself", async () => {
  const sites = createKnownSites(pass);
  assert.equal(sites.check("http://w-b.localhost", "https://b.example/"), "unknown");
  await sites.ask("http://w-b.localhost", "https://b.example/");
  assert.equal(sites.check("http://w-b.localhost", "https://b.example/"), "match");
});

test("a page that claims another site is not trusted again; without an answer it is asked about again", async () => {
  const sites = createKnownSites(pass);
  await sites.ask("http://w-evil.localhost", "https://bank.example/");
  assert.equal(sites.check("http://w-evil.localhost", "https://bank.example/"), "mismatch");
  assert.equal(sites.check("http://w-evil.localhost", undefined), "mismatch");
  await sites.ask("http://w-c.localhost", "https://down.example/");
  assert.equal(sites.check("http://w-c.localhost", "https://c.example/"), "unknown");
});
