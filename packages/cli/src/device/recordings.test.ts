import assert from "node:assert/strict";
import { mkdtempDisposableSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { PANEL_TOKEN, startScriptedPanels } from "../panel/scripted-panels.suite.ts";
import { runLineHere } from "../run-here.suite.ts";

const ID = "0b0cf2b8-6a4e-4d3f-9d59-3a3f5a0c6a11";
const RECORDINGS = "/api/workspaces/editor/lab/rover/current/recordings";
const RECORDING = {
  ...{
    id: ID,
    name: "Hall run/3\u001b[2J",
    state: "whole",
    by: "ada",
    bytes: 2_048,
    messages: 7,
    channels: 1,
    preview: [],
  },
  ...{ start: "2026-07-28T14:30:00.000Z", end: "2026-07-28T14:34:05.000Z" },
};

async function run(url: string, cwd: string, ...args: readonly string[]) {
  const env = { ...process.env, BASE_URL: url, BACKPLANE_TOKEN: PANEL_TOKEN, BACKPLANE_WORKSPACE: "lab/rover" };
  return runLineHere({ cwd, env }, ["device", ...args]);
}

test("what just happened is kept, listed and exported; a file that exists is not replaced unasked", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "recordings-"));
  await using platform = await startScriptedPanels({
    [`POST ${RECORDINGS}`]: { status: 201, body: RECORDING },
    [`GET ${RECORDINGS}`]: { body: { recordings: [RECORDING], bytes: 2_048, maxBytes: 1_048_576, keptMs: 600_000 } },
    [`GET ${RECORDINGS}/${ID}`]: { body: { ...RECORDING, recorded: [] } },
    [`GET ${RECORDINGS}/${ID}.csv?device=m1&capability=motor`]: { body: "time" },
    [`DELETE ${RECORDINGS}/${ID}`]: { status: 204 },
  });
  const device = (...args: readonly string[]) => run(platform.url, folder.path, ...args);
  const kept = await device("keep", "Hall run", "--last", "1.5", "--device", "m1");
  assert.match(kept.stdout, new RegExp(`${ID} {2}Hall run/3 \\[2J: 7 messages, 2`));
  assert.deepEqual(platform.asked.at(-1)?.body, { name: "Hall run", lastMs: 90_000, devices: ["m1"], keep: true });
  assert.match((await device("recordings")).stdout, /whole +2026-07-28 14:30:00 +4:05 /);
  const part = ["--format", "csv", "--device", "m1", "--capability", "motor"];
  const out = join(folder.path, "out.csv");
  assert.equal((await device("export", ID, ...part, "--out", out)).status, 0);
  assert.equal(readFileSync(out, "utf8"), '"time"');
  const again = await device("export", ID, ...part, "--out", out);
  assert.deepEqual([again.status === 0, /exists already/.test(again.stderr)], [false, true]);
  assert.equal((await device("export", ID, ...part, "--out", out, "--force")).status, 0);
  assert.equal((await device("export", ID, ...part, "--out", "-")).stdout, '"time"');
  const missing = await device("export", ID, "--out", join(folder.path, "half.mcap"));
  assert.notEqual(missing.status, 0);
  assert.deepEqual(readdirSync(folder.path), ["out.csv"], "nothing is left of what was refused");
  assert.equal((await device("forget", ID)).status, 0);
  for (const args of [
    ["keep", "--last", "never"],
    ["replay", ID, "--speed", "0"],
    ["export", "../keys"],
  ])
    assert.notEqual((await device(...args)).status, 0, args.join(" "));
});
