import assert from "node:assert/strict";
import { test } from "node:test";
import {
  after,
  arrive,
  before,
  type Follow,
  type FollowEvent,
  type FollowStep,
  follow,
  NOWHERE,
  redirected,
  START,
  type Visited,
  type Wanted,
  wantedOf,
} from "./follow.ts";
import { ECHO_LIFE_MS, MAX_ECHOES, MAX_VISITED } from "./limits.ts";

const A = "https://a.example/";
const B = "https://b.example/";
const C = "https://c.example/";

const wanted = (url: string, visit = 1, isProxied = true): Wanted => ({
  ...{ url, visit, isProxied, popups: false, downloads: false },
});
const state = (url: string, visit = 1, nowMs = 0): FollowEvent => ({
  type: "state",
  wanted: wanted(url, visit),
  nowMs,
});
const page = (url: string, { hasUserActivation = false, isPrimary = false } = {}): FollowEvent => ({
  ...{ type: "page", url, hasUserActivation, isPrimary },
});

/** Plays events; a report counts as delivered at once. */
function play(events: FollowEvent[], from: Follow = START): { now: Follow; acts: FollowStep["act"][] } {
  let now = from;
  const acts = events.map((event) => {
    const { next, act } = follow(now, event);
    now = act === "report" && next.shown ? follow(next, { type: "reported", url: next.shown, nowMs: 0 }).next : next;
    return act;
  });
  return { now, acts };
}

test("a state without an address wants no page", () => {
  assert.deepEqual(wantedOf({ url: "https://a.example", visit: 3, proxyEnabled: true }), wanted(A, 3));
  assert.deepEqual(wantedOf({ url: A }), wanted(A, 0, false));
  for (const url of ["javascript:alert(1)", "data:text/html,a", "", "https://", 7, null, ["https://a.example"]]) {
    assert.equal(wantedOf({ url }), undefined, `${url}`);
  }
});

test("another permission loads the page again: frames keep those that they were made with", () => {
  assert.deepEqual(wantedOf({ url: A, popups: true, downloads: 1 }), { ...wanted(A, 0, false), popups: true });
  const allow = (more: Partial<Wanted>): FollowEvent => ({
    ...{ type: "state", wanted: { ...wanted(A), ...more }, nowMs: 0 },
  });
  const events = [allow({}), page(A), allow({ popups: true }), allow({ popups: true }), allow({ downloads: true })];
  assert.deepEqual(play(events).acts, ["load", "nothing", "load", "nothing", "load"]);
});

test("the state decides what is loaded, once", () => {
  assert.deepEqual(play([state(A), state(A), state(B), state(B)]).acts, ["load", "nothing", "load", "nothing"]);
});

test("the same address with a higher visit is loaded again", () => {
  assert.deepEqual(play([state(A, 1), page(A), state(A, 2), state(A, 2)]).acts, ["load", "nothing", "load", "nothing"]);
});

test("turning the proxy on or off loads the page again", () => {
  const events: FollowEvent[] = [state(A), { type: "state", wanted: wanted(A, 1, false), nowMs: 0 }];
  assert.deepEqual(play(events).acts, ["load", "load"]);
});

test("an address that is taken away clears the frame", () => {
  assert.deepEqual(play([state(A), { type: "state", wanted: undefined, nowMs: 0 }]).acts, ["load", "clear"]);
});

test("what a page does by itself in the primary browser is reported, and its echo loads nothing", () => {
  assert.deepEqual(play([state(A), page(A), page(B, { isPrimary: true }), state(B)]).acts, [
    ...(["load", "nothing", "report", "nothing"] as const),
  ]);
});

test("a page that moves on by itself in a follower is not reported, and not loaded again", () => {
  assert.deepEqual(play([state(A), page(B), state(B)]).acts, ["load", "nothing", "nothing"]);
});

test("a follower that loads what the state says does not report it", () => {
  assert.deepEqual(play([state(A), page(A), state(B), page(B)]).acts, ["load", "nothing", "load", "nothing"]);
});

test("a click in any browser is reported, also when the next page comes after the old one was left", () => {
  assert.deepEqual(play([state(A), page(A), page(B, { hasUserActivation: true })]).acts.at(-1), "report");
  const left: FollowEvent = { type: "leaving", hasUserActivation: true };
  assert.deepEqual(play([state(A), page(A), left, page(B)]).acts.at(-1), "report");
});

test("a click just before a program navigates does not count as navigation", () => {
  const left: FollowEvent = { type: "leaving", hasUserActivation: true };
  assert.deepEqual(play([state(A), page(A), state(B, 2), left, page(C)]).acts.at(-1), "nothing");
});

test("late echoes of earlier pages do not lead back to them", () => {
  const { acts } = play([
    ...[state(A), page(A), page(B, { isPrimary: true }), page(C, { isPrimary: true })],
    ...[state(B), state(C)],
  ]);
  assert.deepEqual(acts, ["load", "nothing", "report", "report", "nothing", "nothing"]);
});

test("skipped states remove their echoes", () => {
  const { now, acts } = play([
    ...[state(A), page(A), page(B, { isPrimary: true }), page(C, { isPrimary: true })],
    ...[state(C), state(B)],
  ]);
  assert.deepEqual(acts.slice(-2), ["nothing", "load"]);
  assert.deepEqual(now.echoes, []);
});

test("a report that never comes back is not expected forever", () => {
  const { now } = play([state(A), page(A), page(B, { isPrimary: true }), page(C)]);
  const early = follow(now, { type: "state", wanted: wanted(B), nowMs: ECHO_LIFE_MS - 1 });
  const late = follow(now, { type: "state", wanted: wanted(B), nowMs: ECHO_LIFE_MS });
  assert.deepEqual([early.act, late.act], ["nothing", "load"]);
});

test("expected echoes are bounded", () => {
  const many = Array.from({ length: 3 * MAX_ECHOES }, (_, at) => page(`${A}${at}`, { isPrimary: true }));
  assert.equal(play([state(A), page(A), ...many]).now.echoes.length, MAX_ECHOES);
});

test("a page that reloads itself is not reported", () => {
  assert.deepEqual(play([state(A), page(A), page(A, { isPrimary: true })]).acts.at(-1), "nothing");
});

/** A site that leads every visit to another place: the worst case for two browsers that follow each other. */
test("two browsers and a site that never leads to the same place twice come to rest", () => {
  const browsers = [
    { now: START, isPrimary: true },
    { now: START, isPrimary: false },
  ];
  let shared = wanted(A);
  let loads = 0;
  let visits = 0;
  let news = true;
  const settle = () => {
    news = false;
    for (const browser of browsers) {
      const step = follow(browser.now, { type: "state", wanted: shared, nowMs: 0 });
      browser.now = step.next;
      if (step.act !== "load") continue;
      loads += 1;
      const url = `${A}session-${visits++}`;
      const landed = follow(browser.now, { type: "page", url, hasUserActivation: false, isPrimary: browser.isPrimary });
      browser.now = landed.next;
      if (landed.act !== "report") continue;
      browser.now = follow(browser.now, { type: "reported", url, nowMs: 0 }).next;
      shared = { ...shared, url };
      news = true;
    }
  };
  for (let round = 0; round < 20 && news; round += 1) settle();
  assert.equal(news, false);
  assert.ok(loads <= 3, `${loads} loads`);
});

const through = (...urls: string[]): Visited => urls.reduce((list, url) => arrive(list, url, 0), NOWHERE);

test("back and forward go through the visited pages", () => {
  const there = through("a", "b", "c");
  assert.deepEqual([before(there), after(there)], ["b", undefined]);
  const back = arrive(there, "b", -1);
  assert.deepEqual([before(back), after(back)], ["a", "c"]);
  const again = arrive(back, "c", 1);
  assert.deepEqual(again, there);
});

test("a new page clears the forward list", () => {
  const there = arrive(arrive(through("a", "b", "c"), "b", -1), "d", 0);
  assert.deepEqual([there.urls, after(there)], [["a", "b", "d"], undefined]);
});

test("another page that arrives before the answer to 'back' is a new page", () => {
  assert.deepEqual(arrive(through("a", "b"), "x", -1).urls, ["a", "b", "x"]);
});

test("the same page again is not added", () => {
  assert.deepEqual(through("a", "a", "a").urls, ["a"]);
});

test("back does not lead to a page that redirects", () => {
  const there = redirected(through("a", "b"), "b", "b2");
  assert.deepEqual([there.urls, before(there)], [["a", "b2"], "a"]);
});

test("without visited pages there is no way back", () => {
  assert.deepEqual([before(NOWHERE), after(NOWHERE)], [undefined, undefined]);
});

test("the list is bounded", () => {
  const there = through(...Array.from({ length: 3 * MAX_VISITED }, (_, at) => `${at}`));
  assert.equal(there.urls.length, MAX_VISITED);
  assert.equal(before(there), `${3 * MAX_VISITED - 2}`);
});
