import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Circles, type Seated } from "./circles.ts";

type Member = Seated & { name: string; visits: number };

const ROUND_MS = 25_000;

function circlesOf(t: TestContext, roundMs = ROUND_MS) {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const circles = new Circles<Member>();
  circles.goRound(roundMs, (member) => {
    member.visits += 1;
  });
  const join = (name: string): Member => {
    const member = { name, visits: 0, circle: 0, seat: 0 };
    circles.join(member);
    return member;
  };
  return { circles, join, advance: (ms: number) => t.mock.timers.tick(ms) };
}

test("a round visits each member once, a small part of them at a time", (t) => {
  const { join, advance } = circlesOf(t);
  const members = Array.from({ length: 19_000 }, (_, i) => join(String(i)));
  const visits = () => members.reduce((sum, member) => sum + member.visits, 0);
  let most = 0;
  for (let ms = 0; ms < ROUND_MS; ms += 100) {
    const before = visits();
    advance(100);
    most = Math.max(most, visits() - before);
  }
  assert.ok(members.every((member) => member.visits === 1));
  assert.ok(most < 300, `${most} at once`);
});

test("a round that is too short for a timer a circle still visits each member as often", (t) => {
  const { join, advance } = circlesOf(t, 20);
  const only = join("only");
  advance(200);
  assert.equal(only.visits, 10);
});

test("whoever leaves, all others are still visited once a round, and those who left are not", (t) => {
  const { circles, join, advance } = circlesOf(t);
  const members = Array.from({ length: 1_000 }, (_, i) => join(String(i)));
  const [gone, left] = [members.filter((_, i) => i % 3 !== 0), members.filter((_, i) => i % 3 === 0)];
  for (const member of gone) circles.leave(member);
  advance(ROUND_MS);
  assert.ok(gone.every((member) => member.visits === 0));
  assert.ok(left.every((member) => member.visits === 1));
  assert.equal(circles.size, left.length);
  assert.deepEqual(new Set(circles.members()), new Set(left));
});

test("who leaves while it is visited costs nobody a visit", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const circles = new Circles<Member>();
  circles.goRound(ROUND_MS, (member) => {
    member.visits += 1;
    circles.leave(member);
  });
  const members = Array.from({ length: 1_000 }, (_, i) => ({ name: String(i), visits: 0, circle: 0, seat: 0 }));
  for (const member of members) circles.join(member);
  t.mock.timers.tick(ROUND_MS);
  assert.ok(members.every((member) => member.visits === 1));
  assert.equal(circles.size, 0);
});

test("rounds begin again after everybody had left", (t) => {
  const { circles, join, advance } = circlesOf(t);
  const first = join("first");
  circles.leave(first);
  advance(ROUND_MS);
  const second = join("second");
  advance(ROUND_MS);
  assert.deepEqual([first.visits, second.visits], [0, 1]);
});
