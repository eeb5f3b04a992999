import assert from "node:assert/strict";
import { test } from "node:test";
import { createDockStore } from "./dock-store.ts";
import { leafLayout, liveUnderTest, splitLayout } from "./live-under-test.suite.ts";

const nobody = () => undefined;

test("a chosen tab is shown at once, and an older layout does not take it back", () => {
  const live = liveUnderTest(leafLayout(1, "1", "1", "2"));
  const store = createDockStore(live, nobody);
  const choice = store.choose("a", "2");
  assert.equal(store.state().shown.get("a"), "2");
  choice.settled(3);
  live.hear(leafLayout(2, "1", "1", "2"));
  assert.equal(store.state().shown.get("a"), "2");
  live.hear(leafLayout(3, "2", "1", "2"));
  live.hear(leafLayout(4, "1", "1", "2"));
  assert.equal(store.state().shown.get("a"), "1");
});

test("a choice that the server refuses goes back to what it says", () => {
  const store = createDockStore(liveUnderTest(leafLayout(1, "1", "1", "2")), nobody);
  store.choose("a", "2").settled(undefined);
  assert.equal(store.state().shown.get("a"), "1");
});

test("of two choices the later one counts, in whichever order they are answered", () => {
  const store = createDockStore(liveUnderTest(leafLayout(1, "1", "1", "2", "3")), nobody);
  const first = store.choose("a", "2");
  store.choose("a", "3");
  first.settled(undefined);
  assert.equal(store.state().shown.get("a"), "3");
});

test("what a program opens stays behind what somebody types in, and comes to the front when they asked for it", async () => {
  const live = liveUnderTest(leafLayout(1, "1", "1"));
  const store = createDockStore(live, () => "1");
  live.hear(leafLayout(2, "2", "1", "2"));
  assert.equal(store.state().shown.get("a"), "1");
  await store.own(async () => live.hear(leafLayout(3, "3", "1", "2", "3")));
  assert.equal(store.state().shown.get("a"), "3");
});

test("a split is drawn as it was let go until a layout has it", () => {
  const live = liveUnderTest(splitLayout(1));
  const store = createDockStore(live, nobody);
  store.preview("s", 0.7);
  store.settleRatio("s", 3);
  live.hear(splitLayout(2));
  assert.equal(store.state().ratios.get("s"), 0.7);
  live.hear(splitLayout(3, 0.7));
  assert.equal(store.state().ratios.size, 0);
  store.preview("s", 0.2);
  store.settleRatio("s", undefined);
  assert.equal(store.state().ratios.size, 0);
});

test("whoever listens hears of every change, until the store is closed", () => {
  const live = liveUnderTest(leafLayout(1, "1", "1"));
  const store = createDockStore(live, nobody);
  let count = 0;
  store.subscribe(() => {
    count += 1;
  });
  live.hear(leafLayout(2, "1", "1", "2"));
  store.close();
  live.hear(leafLayout(3, "1", "1"));
  assert.equal(count, 1);
});
