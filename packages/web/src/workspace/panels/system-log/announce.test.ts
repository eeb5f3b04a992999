import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogEntry, LogLevel } from "@backplane/contract/panels";
import { announcementOf } from "./announce.ts";

const line = (level: LogLevel, message: string): LogEntry => ({ id: 1, at: "", level, source: "power", message });

test("information is not read out", () => {
  assert.equal(announcementOf([line("info", "idle"), line("debug", "tick")]), undefined);
});

test("warnings and errors are read out together, with the last of the worst", () => {
  const lines = [line("error", "rail off"), line("warn", "24 V at 22.9 V"), line("warn", "again")];
  assert.equal(announcementOf(lines), "1 error, 2 warnings. power: rail off");
  assert.equal(announcementOf([line("warn", "24 V at 22.9 V")]), "1 warning. power: 24 V at 22.9 V");
});
