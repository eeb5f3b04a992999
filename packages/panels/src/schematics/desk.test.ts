import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Problem } from "@backplane/kit/problems";
import { openDesk } from "./desk.ts";

const isProblem = (code: string, words: RegExp) => (error: unknown) =>
  error instanceof Problem && error.code === code && words.test(error.detail ?? "");

test("a schematic that takes too long is refused with the reason", async (t) => {
  const desk = openDesk({ maxWorkMs: 10 });
  t.after(desk.close);
  const text = '(kicad_sch (version 20231120) (sheet (property "Sheetfile" "b.kicad_sch")))';
  const task = { do: "view", path: "a.kicad_sch", text, etag: "" } as const;
  const shown = desk.inTurn("eve", (work) => work(task, () => new Promise(() => {})));
  await assert.rejects(shown, isProblem("schematic-refused", /takes too long/));
});

test("one person has one schematic read at a time, and others do not wait for it", async () => {
  const desk = openDesk();
  const end = Promise.withResolvers<void>();
  let begun = 0;
  const use = () => {
    begun += 1;
    return end.promise;
  };
  const own = Array.from({ length: 8 }, () => desk.inTurn("eve", use));
  await assert.rejects(desk.inTurn("eve", use), isProblem("too-many-requests", /./));
  await turn();
  assert.equal(begun, 1);
  assert.equal(await desk.inTurn("ada", async () => "done"), "done");
  end.resolve();
  await Promise.all(own);
});
