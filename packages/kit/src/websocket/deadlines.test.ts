import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Deadlines } from "./deadlines.ts";

function within(t: TestContext, ms: number) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let nowMs = 0;
  const due: string[] = [];
  const deadlines = new Deadlines<string>(
    ms,
    (member) => due.push(`${member} at ${nowMs}`),
    () => nowMs,
  );
  const advance = (byMs: number) => {
    for (let i = 0; i < byMs; i += 1) {
      nowMs += 1;
      t.mock.timers.tick(1);
    }
  };
  return { deadlines, due, advance };
}

test("each member is due after its own time, whatever else is waiting", (t) => {
  const { deadlines, due, advance } = within(t, 100);
  deadlines.add("first");
  advance(30);
  deadlines.add("second");
  deadlines.add("first");
  advance(300);
  assert.deepEqual(due, ["first at 100", "second at 130"]);
});

test("a member that is removed in time is never due, and later ones still are", (t) => {
  const { deadlines, due, advance } = within(t, 100);
  deadlines.add("first");
  advance(50);
  deadlines.remove("first");
  advance(100);
  deadlines.add("second");
  advance(200);
  assert.deepEqual(due, ["second at 250"]);
});
