import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "@backplane/kit/problems";
import { createTurns } from "./in-turn.ts";

test("what is given for one key runs one after the other, and a failure does not stop the next", async () => {
  const inTurn = createTurns(10);
  const steps: string[] = [];
  const first = Promise.withResolvers<void>();
  const results = Promise.allSettled([
    inTurn("a", async () => {
      await first.promise;
      steps.push("first");
      throw new Error("mine");
    }),
    inTurn("a", async () => void steps.push("second")),
  ]);
  await inTurn("b", async () => void steps.push("another key"));
  first.resolve();
  assert.deepEqual(
    (await results).map(({ status }) => status),
    ["rejected", "fulfilled"],
  );
  assert.deepEqual(steps, ["another key", "first", "second"]);
});

test("beyond its bound a line takes nobody, until it is shorter", async () => {
  const inTurn = createTurns(2);
  const held = Promise.withResolvers<void>();
  const waiting = [inTurn("a", () => held.promise), inTurn("a", async () => {})];
  await assert.rejects(
    inTurn("a", async () => {}),
    (error) => error instanceof Problem && error.code === "too-many-requests",
  );
  held.resolve();
  await Promise.all(waiting);
  assert.equal(await inTurn("a", async () => 1), 1);
});
