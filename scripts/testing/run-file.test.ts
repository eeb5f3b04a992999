import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import type { FileResult } from "./file-record.ts";
import { root } from "./files.ts";

const limits = { concurrency: 1, testTimeoutMs: 10_000, fileTimeoutMs: 20_000 };

/** Runs source text as a test file of its own; from a fresh process, as node:test does not run inside a test. */
async function runSource(source: string, bounds = limits): Promise<FileResult> {
  using folder = mkdtempDisposableSync(join(tmpdir(), "backplane-run-file-"));
  const path = join(folder.path, "it.test.mjs");
  writeFileSync(path, `import test from "node:test";\n${source}`);
  const program = join(folder.path, "program.mjs");
  // A file, not `node -e`: run() hands its own flags on to the test file's process.
  writeFileSync(
    program,
    `
    import { runFile } from ${JSON.stringify(join(import.meta.dirname, "run-file.ts"))};
    const [file, bounds] = JSON.parse(process.env.RUN_FILE);
    console.log(JSON.stringify(await runFile(file, bounds, new AbortController().signal)));
  `,
  );
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, [program], {
    env: { ...env, RUN_FILE: JSON.stringify([relative(root, path), bounds]) },
  });
  return JSON.parse(stdout);
}

test("passed, failed and skipped tests are counted, and the failing one is named with its error", async () => {
  const { tally, failures } = await runSource(
    `test("good", () => {});
     test.skip("later", () => {});
     test("bad", () => { throw new TypeError("not this"); });`,
  );
  assert.deepEqual(tally, { passed: 1, failed: 1, skipped: 1 });
  assert.equal(failures.length, 1);
  assert.equal(failures[0]?.name, "bad");
  assert.match(failures[0]?.where ?? "", /it\.test\.mjs:4$/);
  assert.match(failures[0]?.details ?? "", /TypeError: not this/);
});

test("a file that crashes is a failure and shows what it printed", async () => {
  const { tally, failures } = await runSource(`throw new Error("before any test");`);
  assert.deepEqual(tally, { passed: 0, failed: 1, skipped: 0 });
  assert.match(failures[0]?.details ?? "", /before any test/);
});

test("a file that ends after its tests with a code is a failure", async () => {
  const { tally } = await runSource(`test("good", () => {}); setTimeout(() => process.exit(3), 200);`);
  assert.deepEqual(tally, { passed: 1, failed: 1, skipped: 0 });
});

test("a file that something of its tests breaks after they are over says what", async () => {
  const { tally, failures } = await runSource(
    `test("good", () => { setTimeout(() => Promise.reject(new Error("too late")), 200); });`,
  );
  assert.deepEqual(tally, { passed: 1, failed: 1, skipped: 0 });
  assert.match(failures[0]?.details ?? "", /too late/);
});

test("a file without a test is a failure", async () => {
  const { tally, failures } = await runSource("");
  assert.deepEqual(tally, { passed: 0, failed: 1, skipped: 0 });
  assert.match(failures[0]?.details ?? "", /No test ran/);
});

test("a file that leaves something open is ended and is a failure", async () => {
  const source = `test("leaky", () => { setInterval(() => {}, 1000); });`;
  const { tally, failures } = await runSource(source, { ...limits, fileTimeoutMs: 1_500 });
  assert.equal(tally.failed, 1);
  assert.match(failures[0]?.details ?? "", /still open/);
});
