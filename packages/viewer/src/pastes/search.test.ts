import assert from "node:assert/strict";
import { test } from "node:test";
import { searchPastes } from "./search.ts";
import { PASTES_LIMITS } from "./storage/limits.ts";
import { createPasteIndex, type PasteIndex } from "./storage/paste-index.ts";
import type { Entry } from "./storage/record.ts";

const FACTS = { width: 10, height: 10, bytes: 1, inode: "1" };
const entryOf = (at: number, name: string): Entry => ({
  ...{ version: 1, id: `id-${String(at).padStart(6, "0")}`, name, base: name, namedBy: "text", status: "named" },
  ...{ suggestions: [], optimized: FACTS, original: FACTS, pasted: { type: "image/png", bytes: 1 } },
  ...{ receivedAtMs: at, namedAfterMs: 1, title: null, instance: null, isSqueezed: true },
});

function indexOf(count: number): PasteIndex {
  const index = createPasteIndex();
  for (let at = 0; at < count; at += 1) index.set(entryOf(at, at % 4 === 0 ? `motor-${at}` : `plot-${at}`));
  return index;
}

/** A search, and how many screenshots it looked at. */
async function search(index: PasteIndex, query: string, limit: number) {
  let seen = 0;
  const counted: PasteIndex = {
    ...index,
    *newestFirst() {
      for (const entry of index.newestFirst()) {
        seen += 1;
        yield entry;
      }
    },
  };
  const hits = await searchPastes(
    { index: counted, records: { read: async () => undefined } as never, limits: PASTES_LIMITS },
    query,
    limit,
  );
  return { names: hits.map(({ paste: { name } }) => name), seen };
}

test("a search that finds enough by name looks at no more screenshots when there are more", async () => {
  const few = await search(indexOf(1_000), "motor", 20);
  const many = await search(indexOf(5_000), "motor", 20);
  assert.equal(few.names.length, 20);
  assert.deepEqual(many.names.slice(0, 2), ["motor-4996", "motor-4992"]);
  assert.equal(many.seen, few.seen);
});

test("a search that finds too little looks at all of them once", async () => {
  const { names, seen } = await search(indexOf(100), "motor", 50);
  assert.deepEqual([names.length, seen], [25, 100]);
});

test("going through the screenshots goes on where it was when some are added and removed", () => {
  const index = indexOf(6);
  const ids: string[] = [];
  for (const { id } of index.newestFirst()) {
    ids.push(id);
    if (ids.length === 2) {
      index.delete("id-000005");
      index.delete("id-000002");
      index.set(entryOf(7, "new"));
    }
  }
  assert.deepEqual(ids, ["id-000005", "id-000004", "id-000003", "id-000001", "id-000000"]);
});
