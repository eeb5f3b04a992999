import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type BucketPlace, Buckets } from "./open-connections.ts";

type Member = BucketPlace & { name: string; visits: number };

const EVERY_MS = 25_000;

function bucketsOf(t: TestContext, everyMs = EVERY_MS) {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const buckets = new Buckets<Member>();
  buckets.visitEvery(everyMs, (member) => {
    member.visits += 1;
  });
  const join = (name: string): Member => {
    const member = { name, visits: 0, bucket: 0, index: 0 };
    buckets.add(member);
    return member;
  };
  return { buckets, join, advance: (ms: number) => t.mock.timers.tick(ms) };
}

test("each member is visited once per period, a small part of them at a time", (t) => {
  const { join, advance } = bucketsOf(t);
  const members = Array.from({ length: 19_000 }, (_, i) => join(String(i)));
  const visits = () => members.reduce((sum, member) => sum + member.visits, 0);
  let most = 0;
  for (let ms = 0; ms < EVERY_MS; ms += 100) {
    const before = visits();
    advance(100);
    most = Math.max(most, visits() - before);
  }
  assert.ok(members.every((member) => member.visits === 1));
  assert.ok(most < 300, `${most} at once`);
});

test("a period too short for one timer per bucket still visits each member as often", (t) => {
  const { join, advance } = bucketsOf(t, 20);
  const only = join("only");
  advance(200);
  assert.equal(only.visits, 10);
});

test("when members are removed, all others are still visited once per period, and the removed ones are not", (t) => {
  const { buckets, join, advance } = bucketsOf(t);
  const members = Array.from({ length: 1_000 }, (_, i) => join(String(i)));
  const [gone, left] = [members.filter((_, i) => i % 3 !== 0), members.filter((_, i) => i % 3 === 0)];
  for (const member of gone) buckets.remove(member);
  advance(EVERY_MS);
  assert.ok(gone.every((member) => member.visits === 0));
  assert.ok(left.every((member) => member.visits === 1));
  assert.equal(buckets.size, left.length);
  assert.deepEqual(new Set(buckets.members()), new Set(left));
});

test("a member that is removed while it is visited costs no other member its visit", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const buckets = new Buckets<Member>();
  buckets.visitEvery(EVERY_MS, (member) => {
    member.visits += 1;
    buckets.remove(member);
  });
  const members = Array.from({ length: 1_000 }, (_, i) => ({ name: String(i), visits: 0, bucket: 0, index: 0 }));
  for (const member of members) buckets.add(member);
  t.mock.timers.tick(EVERY_MS);
  assert.ok(members.every((member) => member.visits === 1));
  assert.equal(buckets.size, 0);
});

test("visits start again after all members were removed and a new one is added", (t) => {
  const { buckets, join, advance } = bucketsOf(t);
  const first = join("first");
  buckets.remove(first);
  advance(EVERY_MS);
  const second = join("second");
  advance(EVERY_MS);
  assert.deepEqual([first.visits, second.visits], [0, 1]);
});
