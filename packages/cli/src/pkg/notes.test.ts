import assert from "node:assert/strict";
import { test } from "node:test";
import type { Terminal } from "../terminal.ts";
import { printNotes, summaryOf } from "./notes.ts";

test("each note is one line with file, line and column, followed by what was likely meant", () => {
  const lines: string[] = [];
  const line = (text = "") => void lines.push(text);
  const out: Terminal = { line, hint: line, paint: (_, text) => text, isInteractive: false };
  const notes = [
    { level: "error", rule: "schema", pointer: "/tags/0", line: 18, column: 5, message: "is not a tag", fix: "a-b" },
    { level: "warning", rule: "unused", message: "is odd\x1b[2J\nand fakes a line" },
    { level: "error", rule: "path-outside", path: "../x", message: "leads outside" },
  ] as const;
  printNotes(out, "a/metadata.json", notes);
  assert.deepEqual(lines, [
    "■ a/metadata.json:18:5 /tags/0 is not a tag",
    "  likely meant: a-b",
    "◆ a/metadata.json is odd [2J and fakes a line",
    "■ a/metadata.json ../x leads outside",
  ]);
  assert.equal(summaryOf(notes), "2 errors, 1 warning");
  assert.equal(summaryOf([]), "no problems found");
});
