import assert from "node:assert/strict";
import { test } from "node:test";
import { Circles } from "./circles.ts";

const ROUND_MS = 25_000;

test("a round visits each member once, a small part of them at a time", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const circles = new Circles<number>();
  const visits: number[] = [];
  circles.goRound(ROUND_MS, (member) => visits.push(member));
  for (let member = 0; member < 19_000; member += 1) circles.join(member);
  let most = 0;
  for (let ms = 0; ms < ROUND_MS; ms += 100) {
    const before = visits.length;
    t.mock.timers.tick(100);
    most = Math.max(most, visits.length - before);
  }
  assert.equal(new Set(visits).size, visits.length);
  assert.equal(visits.length, 19_000);
  assert.ok(most < 300, `${most} at once`);
});

test("a round that is too short for a timer a circle still visits each member as often", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const circles = new Circles<string>();
  let visits = 0;
  circles.goRound(20, () => {
    visits += 1;
  });
  circles.join("only");
  t.mock.timers.tick(200);
  assert.equal(visits, 10);
});

test("who has left is not visited, and nothing is while nobody is there", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const circles = new Circles<string>();
  const visits: string[] = [];
  circles.goRound(1_000, (member) => visits.push(member));
  const circle = circles.join("short");
  circles.join("long");
  circles.leave("short", circle);
  t.mock.timers.tick(1_000);
  assert.deepEqual(visits, ["long"]);
  assert.equal(circles.size, 1);
  assert.deepEqual([...circles], ["long"]);
});

test("rounds begin again after everybody had left", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const circles = new Circles<string>();
  const visits: string[] = [];
  circles.goRound(1_000, (member) => visits.push(member));
  circles.leave("first", circles.join("first"));
  t.mock.timers.tick(1_000);
  assert.deepEqual(visits, []);
  circles.join("second");
  t.mock.timers.tick(1_000);
  assert.deepEqual(visits, ["second"]);
});
