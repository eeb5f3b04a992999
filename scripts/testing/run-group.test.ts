import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import { root } from "./files.ts";
import type { FileResult } from "./group-record.ts";

const limits = { concurrency: 1, groupSize: 10, testTimeoutMs: 10_000, processTimeoutMs: 20_000 };

async function runSource(source: string, bounds = limits): Promise<FileResult> {
  const [result] = await runSources([source], bounds);
  assert.ok(result);
  return result;
}

/** Runs source texts as a group of test files; from a fresh process, as node:test does not run inside a test. */
async function runSources(sources: readonly string[], bounds = limits): Promise<FileResult[]> {
  using folder = mkdtempDisposableSync(join(tmpdir(), "backplane-run-group-"));
  const files = sources.map((source, at) => {
    const path = join(folder.path, at === 0 ? "it.test.mjs" : `it-${at}.test.mjs`);
    writeFileSync(path, `import test from "node:test";\n${source}`);
    return relative(root, path);
  });
  const program = join(folder.path, "program.mjs");
  // A file, not `node -e`: run() hands its own flags on to the test file's process.
  writeFileSync(
    program,
    `
    import { runGroup } from ${JSON.stringify(join(import.meta.dirname, "run-group.ts"))};
    const [files, bounds] = JSON.parse(process.env.RUN_GROUP);
    console.log(JSON.stringify(await runGroup(files, bounds, new AbortController().signal)));
  `,
  );
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, [program], {
    env: { ...env, RUN_GROUP: JSON.stringify([files, bounds]) },
  });
  return JSON.parse(stdout);
}

test("passed, failed and skipped tests are counted, and the failing one is named with its error and what caused it", async () => {
  const { tally, failures } = await runSource(
    `test("good", () => {});
     test.skip("later", () => {});
     test("bad", () => { throw new TypeError("not this", { cause: new Error("but that") }); });`,
  );
  assert.deepEqual(tally, { passed: 1, failed: 1, skipped: 1 });
  assert.equal(failures.length, 1);
  assert.equal(failures[0]?.name, "bad");
  assert.match(failures[0]?.where ?? "", /it\.test\.mjs:4$/);
  assert.match(failures[0]?.details ?? "", /TypeError: not this.*Caused by Error: but that/s);
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

test("an error that nobody catches fails the test that it came from", async () => {
  const { tally, failures } = await runSource(
    `test("throws", async () => {
       await new Promise((resolve) => setTimeout(resolve, 20));
       setTimeout(() => { throw new Error("in a timer"); }, 20);
       await new Promise(() => {});
     });
     test("forgets", async () => {
       void Promise.reject(new Error("not awaited"));
       await new Promise((resolve) => setTimeout(resolve, 20));
     });`,
  );
  assert.deepEqual(tally, { passed: 0, failed: 2, skipped: 0 });
  assert.deepEqual(
    failures.map(({ name, details }) => [name, details.split("\n")[0]]),
    [
      ["throws", "Error: in a timer"],
      ["forgets", "Error: not awaited"],
    ],
  );
});

test("a file without a test is a failure", async () => {
  const { tally, failures } = await runSource("");
  assert.deepEqual(tally, { passed: 0, failed: 1, skipped: 0 });
  assert.match(failures[0]?.details ?? "", /No test ran/);
});

test("a file that leaves something open is ended and is a failure", async () => {
  const source = `test("leaky", () => { setInterval(() => {}, 1000); });`;
  const { tally, failures } = await runSource(source, { ...limits, processTimeoutMs: 1_500 });
  assert.equal(tally.failed, 1);
  assert.match(failures[0]?.details ?? "", /still open/);
});

test("files of one group have their own hooks and counts; one that cannot be read harms no other", async () => {
  const results = await runSources([
    `let before = 0;
     test.beforeEach(() => { before += 1; });
     test("hooked", () => { if (before !== 1) throw new Error(String(before)); });`,
    `throw new Error("no such thing");`,
    `test("not hooked", () => {}); test("bad", () => { throw new Error("this one"); });`,
  ]);
  const [hooked, unread, last] = results;
  assert.deepEqual(hooked?.tally, { passed: 1, failed: 0, skipped: 0 });
  assert.deepEqual(unread?.tally, { passed: 0, failed: 1, skipped: 0 });
  assert.match(unread?.failures[0]?.details ?? "", /no such thing/);
  assert.deepEqual(last?.tally, { passed: 1, failed: 1, skipped: 0 });
  assert.match(last?.failures[0]?.where ?? "", /it-2\.test\.mjs:2$/);
});

test("files that import the same module keep their tests apart", async () => {
  const shared = `import fc from ${JSON.stringify(import.meta.resolve("fast-check"))};`;
  const results = await runSources(
    [1, 2, 3].map((count) => `${shared} for (let n = 0; n < ${count}; n += 1) test("one of several", () => {});`),
  );
  assert.deepEqual(
    results.map(({ tally }) => tally.passed),
    [1, 2, 3],
  );
});

test("a file that waits while it is read runs on its own", async () => {
  const { tally } = await runSource(`await new Promise((resolve) => setTimeout(resolve, 20)); test("good", () => {});`);
  assert.deepEqual(tally, { passed: 1, failed: 0, skipped: 0 });
});

test("files that were not reached when their process ended are failures", async () => {
  const results = await runSources([`test("ends", () => process.exit(0));`, `test("never ran", () => {});`]);
  for (const { tally } of results) assert.equal(tally.failed, 1);
});

test("no test runs before all files of its group are read", async () => {
  const results = await runSources([
    `test("changes the clock", (t) => { globalThis.changed = true; });`,
    `const readAfter = globalThis.changed; await new Promise((resolve) => setTimeout(resolve, 50));
     test("was read before", () => { if (readAfter) throw new Error("read while a test ran"); });`,
    `const readAfter = globalThis.changed;
     test("was read before", () => { if (readAfter) throw new Error("read while a test ran"); });`,
  ]);
  for (const { tally } of results) assert.deepEqual(tally, { passed: 1, failed: 0, skipped: 0 });
});
