import assert from "node:assert/strict";
import { test } from "node:test";

const { NOTHING_LISTED, PAGE_SIZE, wantingMore, withChangedHits, withOlder, withoutPaste, withPaste } = await import(
  new URL("gallery.js", import.meta.url).href
);

type Paste = { id: string; status: string };
type Listed = { pastes: Paste[]; more: boolean; wanted: number };

const paste = (id: string, status = "named"): Paste => ({ id, status });
const numbered = (number: number) => paste(`20260808-${String(number).padStart(6, "0")}`);
const listOf = (newest: number, count: number): Paste[] =>
  Array.from({ length: count }, (_, index) => numbered(newest - index));
const idsOf = ({ pastes }: Listed) => pastes.map(({ id }) => id);

test("the grid lists the newest page of screenshots, each once", () => {
  let listed: Listed = NOTHING_LISTED;
  for (let number = 1; number <= PAGE_SIZE + 5; number += 1) listed = withPaste(listed, numbered(number));
  listed = withPaste(listed, numbered(PAGE_SIZE));
  assert.deepEqual(listed.pastes, listOf(PAGE_SIZE + 5, PAGE_SIZE));
  assert.equal(listed.more, true);
  assert.equal(withoutPaste(listed, numbered(PAGE_SIZE).id).pastes.length, PAGE_SIZE - 1);
});

test("a late answer does not undo naming", () => {
  const withOne = (status: string) => ({ ...NOTHING_LISTED, pastes: [paste("a", status)] });
  assert.deepEqual(withPaste(withOne("named"), paste("a", "naming")).pastes, [paste("a", "named")]);
  assert.deepEqual(withPaste(withOne("naming"), paste("a", "named")).pastes, [paste("a", "named")]);
});

test("a change of a screenshot on a page that was not fetched leaves no gap in the list", () => {
  const listed = { pastes: listOf(100, PAGE_SIZE), more: true, wanted: PAGE_SIZE };
  assert.equal(withPaste(listed, numbered(50)), listed);
  assert.deepEqual(withPaste({ ...listed, pastes: listOf(100, 2), more: false }, numbered(50)).pastes, [
    ...listOf(100, 2),
    numbered(50),
  ]);
});

test("the next page is added without a gap, even if a screenshot is pasted while it is fetched", () => {
  const listed = wantingMore({ pastes: listOf(100, PAGE_SIZE), more: true, wanted: PAGE_SIZE });
  const older = { pastes: listOf(100 - PAGE_SIZE, PAGE_SIZE), more: false };
  const both = withOlder(withPaste(listed, numbered(101)), older);
  assert.deepEqual(both.pastes, listOf(101, 2 * PAGE_SIZE));
  assert.equal(both.more, true, "the new one took the place of the oldest");
  const again = withOlder(withOlder(listed, older), older);
  assert.equal(new Set(idsOf(again)).size, idsOf(again).length, "asked for twice");
  assert.deepEqual([again.pastes.length, again.more], [2 * PAGE_SIZE, false]);
});

test("what was found follows renames and removals", () => {
  const hits = [{ paste: paste("a"), excerpt: "text" }, { paste: paste("b") }];
  const search = { query: "a", hits, near: [paste("c")] };
  const renamed = withChangedHits(search, (known: Paste) => (known.id === "a" ? { ...known, name: "new" } : known));
  assert.deepEqual(renamed.hits[0], { paste: { ...paste("a"), name: "new" }, excerpt: "text" });
  const removed = withChangedHits(search, (known: Paste) => (known.id === "b" || known.id === "c" ? undefined : known));
  assert.deepEqual([removed.hits.length, removed.near], [1, []]);
  assert.equal(
    withChangedHits(undefined, () => undefined),
    undefined,
  );
});
