import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runLineHere } from "../run-here.suite.ts";

test("verify and list get their own options, although backup has the same", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "backup-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "secret"), "correct horse\n");
  writeFileSync(join(folder, "plain.tar"), "not encrypted");
  const run = (...args: string[]) => runLineHere({ cwd: folder, env: { HOME: folder } }, ["backup", ...args]);
  assert.deepEqual(JSON.parse((await run("list", "--json")).stdout), { backups: [] });
  const verified = await run(
    "verify",
    join(folder, "plain.tar"),
    "--passphrase-file",
    join(folder, "secret"),
    "--json",
  );
  assert.match(JSON.parse(verified.stdout).error.message, /not encrypted, although a passphrase is given/);
});
