import assert from "node:assert/strict";
import { test } from "node:test";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import { MAX_ICON_LENGTH } from "./limits.ts";
import { createIntake, createKnownSites, isSiteOrigin, MAX_MESSAGES_PER_SECOND, readTracker } from "./tracker.ts";

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

function underTest() {
  let nowMs = 0;
  let due: { run: () => void; atMs: number } | undefined;
  const heard: string[] = [];
  const intake = createIntake({
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
    intake,
    say: (kind: string, text: string) => intake.take(kind, () => heard.push(text)),
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

test("what comes at a pace that people make is heard at once and in order", () => {
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

test("of a flood the last of each kind is heard, in the order they came, when the second is over", () => {
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

test("after it was closed nothing is heard late", () => {
  const { heard, say, pass, intake } = underTest();
  for (let n = 0; n < 5_000; n += 1) say("page", `page ${n}`);
  intake.close();
  pass(2_000);
  assert.equal(heard.length, MAX_MESSAGES_PER_SECOND);
});

/** As the server does it: one host for a site. */
const pass = async (url: string) =>
  url.includes("down")
    ? ({ ok: false, words: "down" } as const)
    : ({ ok: true, src: `http://w-${new URL(url).host.split(".")[0]}.localhost/.backplane/enter?pass=x` } as const);

test("a page may name places of the site that its frame was made for, and no others", () => {
  const sites = createKnownSites(pass);
  sites.learn("http://w-a.localhost/.backplane/enter?pass=x", "https://a.example/start");
  assert.equal(sites.judge("http://w-a.localhost", "https://a.example/other"), "true");
  assert.equal(sites.judge("http://w-a.localhost", undefined), "true");
  for (const url of ["https://bank.example/", "http://a.example/", "https://a.example:444/"]) {
    assert.equal(sites.judge("http://w-a.localhost", url), "false", url);
  }
});

test("of a frame that went to another site by itself, the server is asked", async () => {
  const sites = createKnownSites(pass);
  assert.equal(sites.judge("http://w-b.localhost", "https://b.example/"), "unknown");
  await sites.find("http://w-b.localhost", "https://b.example/");
  assert.equal(sites.judge("http://w-b.localhost", "https://b.example/"), "true");
});

test("a page that names another site first is not believed again; one that nobody could judge is asked about anew", async () => {
  const sites = createKnownSites(pass);
  await sites.find("http://w-evil.localhost", "https://bank.example/");
  assert.equal(sites.judge("http://w-evil.localhost", "https://bank.example/"), "false");
  assert.equal(sites.judge("http://w-evil.localhost", undefined), "false");
  await sites.find("http://w-c.localhost", "https://down.example/");
  assert.equal(sites.judge("http://w-c.localhost", "https://c.example/"), "unknown");
});
