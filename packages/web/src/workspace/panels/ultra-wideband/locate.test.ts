import assert from "node:assert/strict";
import { test } from "node:test";
import { createTrack } from "../../parts/plot/track.ts";
import { fixesOf } from "./fixes.ts";
import { type Anchor, errorAt, locate } from "./locate.ts";
import { survey } from "./survey.ts";

const ANCHORS: Anchor[] = [
  { id: "a", x: 0, y: 0, z: 2 },
  { id: "b", x: 10, y: 0, z: 2 },
  { id: "c", x: 10, y: 8, z: 2 },
  { id: "d", x: 0, y: 8, z: 2 },
  { id: "e", x: 5, y: 8, z: 2 },
];
const rangesFrom = (x: number, y: number, z: number, more: Record<string, number> = {}) =>
  ANCHORS.map((anchor) => ({
    ...{ anchor: anchor.id, dbm: -80 },
    m: Math.hypot(x - anchor.x, y - anchor.y, z - anchor.z) + (more[anchor.id] ?? 0),
  }));
const near = (value: number | undefined, expected: number, by: number) =>
  assert.ok(value !== undefined && Math.abs(value - expected) <= by, `${value} is not ${expected} ± ${by}`);

test("exact ranges give the exact place, anywhere in the room and beside it", () => {
  for (const [x, y] of [
    [3, 2],
    [9.5, 7.5],
    [5, 4],
    [-2, 9],
  ] as const) {
    const fix = locate(ANCHORS, rangesFrom(x, y, 0.4), 0.4);
    near(fix?.x, x, 1e-6);
    near(fix?.y, y, 1e-6);
    near(fix?.rms, 0, 1e-6);
    assert.ok(fix?.anchors.every(({ isUsed }) => isUsed));
  }
});

test("a blocked anchor is left out, and its residual is what the wall added", () => {
  const fix = locate(ANCHORS, rangesFrom(3, 2, 0.4, { d: 0.374 }), 0.4);
  near(fix?.x, 3, 1e-6);
  const blocked = fix?.anchors.find(({ anchor }) => anchor === "d");
  assert.equal(blocked?.isUsed, false);
  near(blocked?.residual, 0.374, 1e-6);
  const two = locate(ANCHORS, rangesFrom(3, 2, 0.4, { d: 0.36, e: 0.41 }), 0.4);
  near(two?.y, 2, 1e-6);
  assert.deepEqual(
    two?.anchors.map(({ isUsed }) => isUsed),
    [true, true, true, false, false],
  );
  const noisy = locate(ANCHORS, rangesFrom(3, 2, 0.4, { a: 0.03, b: -0.02, c: 0.02 }), 0.4);
  assert.ok(
    noisy?.anchors.every(({ isUsed }) => isUsed),
    "noise is not a wall",
  );
  near(noisy?.x, 3, 0.05);
});

test("too few anchors, anchors that nobody knows, and anchors in a line give no place", () => {
  assert.equal(locate(ANCHORS, rangesFrom(3, 2, 0).slice(0, 2), 0), undefined);
  assert.equal(locate([], rangesFrom(3, 2, 0), 0), undefined);
  const line = ANCHORS.map((anchor) => ({ ...anchor, y: 0, z: 0 }));
  assert.equal(
    locate(
      line,
      [0, 1, 2].map((i) => ({ anchor: ANCHORS[i]?.id ?? "", m: 3, dbm: 0 })),
      0,
    ),
    undefined,
  );
  const unknown = [...rangesFrom(3, 2, 0.4), { anchor: "x", m: 4, dbm: -80 }];
  assert.ok(Number.isNaN(locate(ANCHORS, unknown, 0.4)?.anchors.at(-1)?.residual));
});

test("the error grows outside the anchors, and is 2.45 deviations times the dilution", () => {
  const square = ANCHORS.slice(0, 4).map((anchor) => ({ ...anchor, z: 0 }));
  // In the middle of a rectangle of 10 × 8: normal matrix diag(4·25/41, 4·16/41).
  const dilution = Math.sqrt(41 / 100 + 41 / 64);
  near(errorAt(square, 5, 4, 0, 0.02), 2.4477 * 0.02 * dilution, 1e-9);
  assert.ok(errorAt(square, 40, 4, 0, 0.02) > errorAt(square, 5, 4, 0, 0.02) * 2);
  assert.ok(Number.isNaN(errorAt(square.slice(0, 2), 5, 4, 0, 0.02)));
});

test("a survey finds an anchor that is written down wrong, from the distances between all", () => {
  const between = ANCHORS.flatMap((a, i) =>
    ANCHORS.slice(i + 1).map((b) => ({ a: a.id, b: b.id, m: Math.hypot(a.x - b.x, a.y - b.y) })),
  );
  assert.ok(
    survey(ANCHORS, between)?.every(({ movedM }) => movedM < 1e-6),
    "what is right stays",
  );
  const wrong = ANCHORS.map((anchor) => (anchor.id === "c" ? { ...anchor, x: 9 } : anchor));
  const found = survey(wrong, between) ?? [];
  const distance = (a: string, b: string) => {
    const [p, q] = [a, b].map((id) => found.find((each) => each.id === id));
    return Math.hypot((p?.x ?? 0) - (q?.x ?? 0), (p?.y ?? 0) - (q?.y ?? 0));
  };
  for (const { a, b, m } of between) near(distance(a, b), m, 1e-3);
  const worst = found.toSorted((a, b) => b.movedM - a.movedM)[0];
  assert.equal(worst?.id, "c");
  assert.equal(survey(ANCHORS, between.slice(0, 2)), undefined);
});

test("without ranges, the place is what the gateway says, and nothing is known about its error", () => {
  const track = createTrack();
  const say = (tMs: number, fields: Record<string, never[]>) =>
    track.append({ tMs: [tMs], fields, isHistory: false, thinned: false });
  say(1, { x_m: [1.2], y_m: [0.5] } as never);
  say(2, { x_m: [1.2], y_m: [0.5], ranges: [[{ anchor: "A", distance_m: 1 }]] } as never);
  say(3, { quality: [0] } as never);
  const said = fixesOf(track).at(0);
  assert.deepEqual([said?.x, said?.y, said?.isSaid, said?.rms], [1.2, 0.5, true, Number.NaN]);
  assert.equal(fixesOf(track).at(1), undefined, "too few ranges are not replaced by a guess");
  assert.equal(fixesOf(track).at(2), undefined);
});
