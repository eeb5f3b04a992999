import assert from "node:assert/strict";
import { test } from "node:test";
import type { SharingRequest } from "@backplane/contract/panels";
import type { CaptureState } from "./capture.ts";
import { whyNot } from "./shared-surface.ts";
import {
  askedWords,
  countdown,
  openRequests,
  othersWords,
  shareLabel,
  shareLook,
  shareTitle,
  targetWords,
  unansweredWords,
} from "./sharing-words.ts";
import { whyNotSeen } from "./shots.ts";

const request = (more: Partial<SharingRequest> = {}): SharingRequest => ({
  ...{ id: "1", by: "bench-agent", reason: "Check that the yaw trace settles.", scope: "panel", tabId: "t" },
  ...{ untilMs: 30_000, waitMs: 30_000, ...more },
});
const state = (more: Partial<CaptureState> = {}): CaptureState => ({
  ...{ cannot: undefined, shared: [], isAsking: false, fault: undefined, ...more },
});

test("the share icon has four states, each with its label", () => {
  const looks = [
    [shareLook(state(), 0), "Share for screenshots"],
    [shareLook(state(), 1), "Screenshot requested"],
    [shareLook(state({ shared: ["browser"] }), 0), "Sharing this tab"],
    [shareLook(state({ cannot: "why" }), 1), "Cannot share"],
  ] as const;
  assert.deepEqual(
    looks.map(([look]) => look),
    ["off", "asked", "on", "cannot"],
  );
  for (const [look, label] of looks) assert.equal(shareLabel(look, ["browser"]), label);
  assert.equal(shareLabel("on", ["monitor"]), "Sharing the screen");
  assert.equal(shareLabel("on", ["browser", "monitor"]), "Sharing tab and screen");
  assert.equal(
    shareTitle("on", state({ shared: ["browser"] })),
    "Programs may take screenshots of this tab. Click to stop.",
  );
  assert.equal(shareTitle("cannot", state({ cannot: "why" })), "why");
});

test("the oldest request is shown, and the others are counted", () => {
  const requests = [
    request({ id: "late", untilMs: 50_000 }),
    request({ id: "early", untilMs: 100_000, waitMs: 90_000 }),
  ];
  assert.deepEqual(
    openRequests(requests, []).map(({ id }) => id),
    ["early", "late"],
  );
  assert.equal(othersWords(0), undefined);
  assert.equal(othersWords(1), "1 more request is waiting.");
  assert.equal(othersWords(2), "2 more requests are waiting.");
});

test("what is already shared is not asked for again", () => {
  const requests = [request(), request({ id: "2", scope: "screen", tabId: null })];
  assert.deepEqual(
    openRequests(requests, ["browser"]).map(({ id }) => id),
    ["2"],
  );
  assert.deepEqual(openRequests(requests, ["monitor", "browser"]), []);
});

test("a request names its target, and is announced with who asks and why", () => {
  const titleOf = (tabId: string) => (tabId === "t" ? "Yaw step response" : undefined);
  assert.equal(targetWords(request(), titleOf), "Panel: Yaw step response");
  assert.equal(targetWords(request({ tabId: "gone" }), titleOf), "One panel");
  assert.equal(targetWords(request({ scope: "screen", tabId: null }), titleOf), "Your entire screen");
  assert.equal(
    askedWords(request()),
    'bench-agent asks for a screenshot: "Check that the yaw trace settles." Share, or Not now, at the monitor icon.',
  );
  assert.match(askedWords(request({ reason: null })), /^bench-agent asks for a screenshot\. Share/);
});

test("a request that nobody answered says who stopped waiting, and what to do", () => {
  assert.equal(
    unansweredWords(request()),
    "bench-agent stopped waiting for a screenshot. To allow its next one, press the monitor icon.",
  );
});

test("one pin is one second: 21 of 30 are lit when 21 s are left", () => {
  assert.deepEqual(countdown(request(), 9_000), {
    leftS: 21,
    ofS: 30,
    pins: 30,
    lit: 21,
    label: "The program is waiting",
    words: "21 s left",
  });
  assert.equal(countdown(request(), 29_999).lit, 1);
});

test("a long wait has no more pins than can be seen", () => {
  const long = request({ untilMs: 300_000, waitMs: 300_000 });
  assert.deepEqual(countdown(long, 150_000), {
    leftS: 150,
    ofS: 300,
    pins: 30,
    lit: 15,
    label: "The program is waiting",
    words: "2 min 30 s left",
  });
});

test("with clocks that differ, the time left stays between zero and the whole wait", () => {
  assert.equal(countdown(request(), -60_000).leftS, 30);
  const over = countdown(request(), 90_000);
  assert.deepEqual([over.leftS, over.lit, over.label], [0, 0, "The program stopped waiting"]);
  assert.equal(over.words, "closes in 0 s");
  assert.equal(countdown(request(), 32_500).words, "closes in 8 s");
  assert.equal(countdown(request({ waitMs: 0 }), 0).pins, 1);
});

test("a browser that cannot share says why", () => {
  assert.equal(whyNot(true, true), undefined);
  assert.match(whyNot(true, false) ?? "", /Chrome or Edge 132/);
  assert.match(whyNot(false, true) ?? "", /https/);
});

test("an element that is hidden, outside the window, gone or not isolated cannot be captured", () => {
  const box = { left: 0, top: 48, right: 600, bottom: 448, width: 600, height: 400 };
  const seen = {
    ...{ box, isVisible: true, isolation: "isolate", isConnected: true, viewport: { width: 1200, height: 900 } },
  };
  assert.equal(whyNotSeen(seen), undefined);
  assert.match(whyNotSeen({ ...seen, isVisible: false }) ?? "", /hidden/);
  assert.match(whyNotSeen({ ...seen, box: { ...box, width: 0 } }) ?? "", /hidden/);
  assert.match(whyNotSeen({ ...seen, isolation: "auto" }) ?? "", /together/);
  assert.match(whyNotSeen({ ...seen, isConnected: false }) ?? "", /not in the page/);
  for (const outside of [{ left: 1200 }, { right: 0 }, { top: 900 }, { bottom: -1 }]) {
    assert.match(whyNotSeen({ ...seen, box: { ...box, ...outside } }) ?? "", /outside/);
  }
});
