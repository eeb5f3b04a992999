import assert from "node:assert/strict";
import { test } from "node:test";
import { keepDraft, takeDraft } from "./drafts.ts";

function storage(first?: string) {
  let kept = first ?? null;
  return {
    getItem: () => kept,
    setItem(_key: string, value: string) {
      kept = value;
    },
  };
}
const draft = (tabId: string, text = "mine") => ({ tabId, path: "a.ts", text, etag: '"1"' });

test("the draft of a closed tab is returned once, for the same tab and file", () => {
  const store = storage();
  keepDraft(store, draft("one"));
  assert.equal(takeDraft(store, "two", "a.ts"), undefined);
  assert.equal(takeDraft(store, "one", "b.ts"), undefined);
  assert.deepEqual(takeDraft(store, "one", "a.ts"), draft("one"));
  assert.equal(takeDraft(store, "one", "a.ts"), undefined);
});

test("drafts are bounded, and junk in the storage does no harm", () => {
  const store = storage();
  for (let index = 0; index < 12; index += 1) keepDraft(store, draft(`${index}`));
  assert.deepEqual([takeDraft(store, "1", "a.ts"), takeDraft(store, "2", "a.ts")?.tabId], [undefined, "2"]);
  keepDraft(store, draft("large", "x".repeat(500_001)));
  assert.equal(takeDraft(store, "large", "a.ts"), undefined);
  for (const junk of ["{", "7", '[null, {"tabId": 1}]'])
    assert.equal(takeDraft(storage(junk), "one", "a.ts"), undefined);
  const shut = {
    getItem: () => null,
    setItem() {
      throw new Error("shut");
    },
  };
  keepDraft(shut, draft("one"));
});
