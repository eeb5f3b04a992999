import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { forJournal, forPeople, openOutput } from "./output.ts";

const LINE = `${JSON.stringify({ level: "warn", time: "2026-11-16T20:30:00.000Z", process: "gateway", msg: "bus fault", err: { message: "away" }, port: 8795 })}\n`;
const CRASH = "Error: boom\n";

test("a terminal gets time, level, process, message and what else there is", () => {
  assert.equal(stripVTControlCharacters(forPeople(LINE)), "20:30:00 warn  gateway bus fault: away port=8795\n");
  assert.equal(forPeople(CRASH), CRASH);
});

test("journald gets the level of each line", () => {
  assert.equal(forJournal(LINE), `<4>${LINE}`);
  assert.equal(forJournal(CRASH), CRASH);
});

test("everything else gets the lines as they are, also when a parent's output goes to journald", () => {
  for (const JOURNAL_STREAM of [undefined, "1:1"]) {
    const written: string[] = [];
    const stdout = { isTTY: false, write: (text: string) => written.push(text) > 0 };
    openOutput({ env: { JOURNAL_STREAM }, stdout }).write(LINE);
    assert.deepEqual(written, [LINE]);
  }
});
