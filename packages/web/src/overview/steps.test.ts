import assert from "node:assert/strict";
import { test } from "node:test";
import { doneCount, firstConnection, firstSteps } from "./steps.ts";

const start = new Date(2026, 10, 5, 14, 2);

test("a time makes a step done and moves the next one on", () => {
  const steps = firstSteps({ start, "sign-in": new Date(2026, 10, 5, 14, 5) });
  assert.deepEqual(
    steps.map(({ status }) => status),
    ["done", "done", "next", "todo", "todo"],
  );
  assert.equal(doneCount(steps), "2 of 5 done");
});

test("when all steps are done there is no next step", () => {
  const all = { start, "sign-in": start, connect: start, publish: start, panel: start };
  const steps = firstSteps(all);
  assert.equal(doneCount(steps), "5 of 5 done");
  assert.ok(steps.every(({ status }) => status === "done"));
});

test("a terminal counts as connected since the first approved program; browsers do not count", () => {
  const browser = { kind: "Browser", created_at: "2026-11-15T08:00:00.000Z" } as const;
  const program = (created_at: string) => ({ kind: "Application", created_at }) as const;
  assert.equal(firstConnection([browser]), undefined);
  assert.deepEqual(
    firstConnection([browser, program("2026-11-15T10:00:00.000Z"), program("2026-11-15T09:00:00.000Z")]),
    new Date("2026-11-15T09:00:00.000Z"),
  );
});
