import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { createReport } from "./report.ts";

test("the names of scopes cannot send control codes to the terminal", () => {
  const stdout = new PassThrough({ encoding: "utf8" });
  const report = createReport({ stdout, env: {} } as unknown as NodeJS.Process, () => 0);
  const kept = { provider: "parts", user: "ada", path: "/tokens/parts.ada.json", expiresAt: 1, refreshable: false };
  report.connected({ ...kept, scopes: "files\x1b[2J" });
  assert.match(String(stdout.read()), /Scopes +files \[2J\n/);
});
