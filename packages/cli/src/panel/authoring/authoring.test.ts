import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { runLineHere } from "../../run-here.suite.ts";

function openFolder(t: TestContext) {
  const cwd = mkdtempSync(join(tmpdir(), "panel-"));
  t.after(() => rmSync(cwd, { recursive: true }));
  const run = (...args: string[]) => runLineHere({ cwd, env: {} }, ["panel", ...args]);
  return { cwd, run };
}

test("a new panel passes its own check without a warning, and is packed", async (t) => {
  const { cwd, run } = openFolder(t);
  const made = await run("new", "Heat Map", "--json");
  assert.equal(made.status, 0, made.stderr);
  assert.deepEqual((JSON.parse(made.stdout) as { notes: unknown[] }).notes, []);
  const panel = JSON.parse(readFileSync(join(cwd, "Heat Map/plugins/panel/panel.json"), "utf8")) as object;
  assert.deepEqual(
    { ...panel, wants: undefined, tools: undefined },
    {
      ...{ sdk: "1", name: "heat-map", title: "Heat map", category: "Visualization", entry: "index.js" },
      ...{ style: "style.css", description: "The newest temperature, large", wants: undefined, tools: undefined },
    },
  );
  const packed = await run("pack", "Heat Map", "--json");
  assert.equal(packed.status, 0, packed.stderr);
  const { file, identifier, notes } = JSON.parse(packed.stdout) as {
    file: string;
    identifier: string;
    notes: unknown[];
  };
  assert.deepEqual([file, identifier, notes], ["Heat Map.zip", "com.example.heat-map", []]);
  assert.equal((await run("new", "Heat Map")).status, 6, "what is there is left as it is");
});

test("a fault in panel.json is said with its field, and nothing is packed", async (t) => {
  const { cwd, run } = openFolder(t);
  await run("new", "gauge");
  const file = join(cwd, "gauge/plugins/panel/panel.json");
  writeFileSync(file, readFileSync(file, "utf8").replace('"read"', '"reads"'));
  const { status, stdout } = await run("pack", "gauge");
  assert.equal(status, 6);
  assert.match(stdout, /plugins\/panel\/panel\.json \/wants\/reads is not a field here/);
});
