import assert from "node:assert/strict";
import { test } from "node:test";
import { doneCount, firstConnection, firstSteps } from "./steps.ts";

type Name = "registry" | "gateway" | "intents" | "panels" | "viewer";

const names: Name[] = ["registry", "gateway", "intents", "panels", "viewer"];
const areas = (...built: Name[]) => names.map((name) => ({ name, built: built.includes(name) }));
const start = new Date(2026, 10, 5, 14, 2);

const statuses = (...args: Parameters<typeof firstSteps>) => firstSteps(...args).map(({ status }) => status);

test("before any area is built only the start is done and nothing is next", () => {
  const steps = firstSteps(areas(), { start });
  assert.deepEqual(
    steps.map(({ status }) => status),
    ["done", "not-built", "not-built", "not-built", "not-built"],
  );
  assert.equal(doneCount(steps), "1 of 5 done");
});

test("the first step that can be taken is next, also after one that cannot", () => {
  assert.deepEqual(statuses(areas("registry", "panels"), { start }), [
    "done",
    "not-built",
    "not-built",
    "next",
    "todo",
  ]);
});

test("signing in and connecting a terminal both need intents", () => {
  assert.deepEqual(statuses(areas("intents"), { start }), ["done", "next", "todo", "not-built", "not-built"]);
});

test("a time makes a step done and moves the next one on", () => {
  const steps = firstSteps(areas(...names), { start, "sign-in": new Date(2026, 10, 5, 14, 5) });
  assert.deepEqual(
    steps.map(({ status }) => status),
    ["done", "done", "next", "todo", "todo"],
  );
  assert.equal(doneCount(steps), "2 of 5 done");
});

test("when all is done nothing is next", () => {
  const all = { start, "sign-in": start, connect: start, publish: start, panel: start };
  const steps = firstSteps(areas(...names), all);
  assert.equal(doneCount(steps), "5 of 5 done");
  assert.ok(steps.every(({ status }) => status === "done"));
});

test("an area that the platform does not name is not built", () => {
  assert.deepEqual(statuses([], { start }).slice(1), ["not-built", "not-built", "not-built", "not-built"]);
});

test("a terminal is connected since the first program that was approved, and a browser is none", () => {
  const browser = { kind: "Browser", created_at: "2026-11-15T08:00:00.000Z" } as const;
  const program = (created_at: string) => ({ kind: "Application", created_at }) as const;
  assert.equal(firstConnection([browser]), undefined);
  assert.deepEqual(
    firstConnection([browser, program("2026-11-15T10:00:00.000Z"), program("2026-11-15T09:00:00.000Z")]),
    new Date("2026-11-15T09:00:00.000Z"),
  );
});
