import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@backplane/contract/panels";
import { createPanelState, merge } from "./panel-context.ts";

test("a patch is merged key by key, and null removes a key", () => {
  assert.deepEqual(merge({ a: 1, b: 2 }, { b: null, c: 3 }), { a: 1, c: 3 });
});

test("a change is seen at once, and stays when an older layout arrives", async () => {
  const answer = Promise.withResolvers<number>();
  const state = createPanelState({ path: "a.ts" }, () => answer.promise);
  const seen: JsonObject[] = [];
  state.onState((each) => seen.push(each));
  const done = state.setState({ path: "b.ts" });
  state.receive({ path: "a.ts" }, 4);
  assert.deepEqual(state.state(), { path: "b.ts" });
  answer.resolve(5);
  await done;
  state.receive({ path: "a.ts" }, 4);
  assert.deepEqual(state.state(), { path: "b.ts" });
  state.receive({ path: "c.ts" }, 6);
  assert.deepEqual(seen, [{ path: "b.ts" }, { path: "c.ts" }]);
});

test("what the server refuses is taken back, and the caller gets the error", async () => {
  const state = createPanelState({ path: "a.ts" }, async () => {
    throw new Error("refused");
  });
  await assert.rejects(state.setState({ path: "b.ts" }), /refused/);
  assert.deepEqual(state.state(), { path: "a.ts" });
});

test("a change of another tab does not notify this one", () => {
  const state = createPanelState({ path: "a.ts" }, async () => 1);
  let count = 0;
  state.onState(() => {
    count += 1;
  });
  state.receive({ path: "a.ts" }, 2);
  assert.equal(count, 0);
});
