import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { splitLines } from "./child.ts";
import { openLogFile } from "./log-file.ts";

test("a full file is rotated and at most three are kept, readable by their owner only", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "log-file-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "logs", "gateway.log");
  const file = openLogFile(path, 1_000);
  for (let number = 0; number < 200; number += 1) file.write(`line ${number} ${"x".repeat(40)}`);
  await file.close();
  assert.deepEqual(readdirSync(join(folder, "logs")).sort(), ["gateway.log", "gateway.log.1", "gateway.log.2"]);
  assert.match(readFileSync(path, "utf8"), /line 199 /);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  for (const name of readdirSync(join(folder, "logs"))) assert.ok(statSync(join(folder, "logs", name)).size < 1_100);
});

test("a folder that was removed is created again when the file is full, and nothing crashes", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "log-file-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "logs", "a.log");
  const file = openLogFile(path, 100);
  file.write("x".repeat(200));
  rmSync(join(folder, "logs"), { recursive: true });
  file.write("after");
  await file.close();
  assert.match(readFileSync(path, "utf8"), /after/);
});

test("an existing file is appended to", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "log-file-"));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const line of ["first", "second"]) {
    const file = openLogFile(join(folder, "a.log"));
    file.write(line);
    await file.close();
  }
  assert.equal(readFileSync(join(folder, "a.log"), "utf8"), "first\nsecond\n");
});

test("lines come out whole however they are split into chunks, and endless ones are cut", () => {
  const lines: string[] = [];
  const take = splitLines((line) => lines.push(line));
  for (const chunk of ["a", "b\nc\n\nd", "e\n", "x".repeat(200_000), "x".repeat(200_000), "\n"]) take(chunk);
  assert.deepEqual(lines.slice(0, 3), ["ab", "c", "de"]);
  assert.equal(lines[3]?.length, 64 * 1024);
});
