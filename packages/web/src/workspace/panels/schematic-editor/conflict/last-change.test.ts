import assert from "node:assert/strict";
import { test } from "node:test";
import { changeWords } from "./last-change.ts";

test("who changed a file last is taken from the log, whatever other files are called", () => {
  const now = new Date(2026, 10, 18, 15, 0);
  const line = (message: string, minute: number) => {
    const at = new Date(2026, 10, 18, 14, minute).toISOString();
    return { id: minute, at, level: "info" as const, source: "files", message };
  };
  const entries = [
    line("main.kicad_sch saved by bob, 900 bytes", 1),
    line("main.kicad_sch edited by ada: move", 2),
    line("main.kicad_sch.bak saved by eve, 900 bytes", 3),
  ];
  assert.equal(changeWords(entries, "main.kicad_sch", now), "main.kicad_sch edited by ada: move, at 14:02.");
  assert.match(changeWords(entries, "other.kicad_sch", now), /not in the log/);
});
