import assert from "node:assert/strict";
import { test } from "node:test";
import type { ListedPackage } from "./listed-package.ts";
import { createCutter, createSegments } from "./segments.ts";

const SEGMENT = 10;
const packageOf = (at: number): ListedPackage =>
  ({ key: `package-${at}`, endsSegment: at % SEGMENT === SEGMENT - 1 }) as ListedPackage;

test("after a change only its own segment is cut and written again, however many there are", async () => {
  for (const count of [100, 2_000]) {
    let written: number[] = [];
    const [cut, write] = [
      createCutter(),
      createSegments((segment) => {
        written.push(segment.length);
        return segment.map(({ key }) => key).join(" ");
      }),
    ];
    const packages = Array.from({ length: count }, (_, at) => packageOf(at));
    const first = await write(cut(packages));
    assert.deepEqual([first.length, written.length], [count / SEGMENT, count / SEGMENT]);

    written = [];
    const changed = packages.with(15, packageOf(15));
    assert.deepEqual(await write(cut(changed)), first);
    const added = changed.toSpliced(3, 0, { ...packageOf(3), key: "new", endsSegment: false });
    const texts = await write(cut(added));
    assert.deepEqual(written, [SEGMENT, SEGMENT + 1]);
    assert.equal(texts[0]?.split(" ")[3], "new");
    assert.deepEqual(texts.slice(1), first.slice(1));
    await write(cut(added));
    assert.equal(written.length, 2);
  }
});

test("a new last package of a segment divides it, and a list may be empty", async () => {
  const [cut, write] = [createCutter(), createSegments((segment) => segment.length)];
  const packages = Array.from({ length: 2 * SEGMENT }, (_, at) => packageOf(at));
  await write(cut(packages));
  assert.deepEqual(await write(cut(packages.with(4, { ...packageOf(4), endsSegment: true }))), [5, 5, SEGMENT]);
  assert.deepEqual(await write(cut([])), []);
});
