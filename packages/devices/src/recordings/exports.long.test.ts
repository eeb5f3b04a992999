import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { capability, number } from "../testing/devices.ts";
import { sampleChannel } from "./channels.ts";
import { csvStream } from "./export-csv.ts";
import { parquetStream } from "./export-parquet.ts";
import { chooseExport } from "./exports.ts";
import { createMcapFile } from "./mcap-file.ts";
import { openFileSource } from "./source.ts";
import { nsOf } from "./times.ts";

const SAMPLES = 300_000;
/** A fraction of what all samples take. */
const MAX_GROWTH_BYTES = 16 * 1024 * 1024;
const LOOK_EVERY_BYTES = 1_000_000;

// Node hides V8's function unless started with the flag; a context made after setting it has it.
setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** What is still needed now. */
function neededBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test("a large recording is exported without being in memory", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "exports-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "a.mcap");
  const handle = await open(path, "wx");
  const file = await createMcapFile(handle);
  const device = { id: "m1", name: "Motor" } as Parameters<typeof sampleChannel>[0];
  const channelId = file.addChannel(sampleChannel(device, capability("motor", { a: number, b: number, c: number })));
  for (let i = 0; i < SAMPLES; i += 1) {
    const time = nsOf(1_700_000_000_000 + i);
    const data = Buffer.from(JSON.stringify({ a: i, b: Math.random(), c: Math.random() }));
    file.addMessage({ channelId, logTime: time, publishTime: time, data });
    if (i % 5_000 === 0) await file.endChunk();
  }
  await file.finish();
  await handle.close();

  for (const streamOf of [csvStream, parquetStream]) {
    const source = await openFileSource(path);
    const before = neededBytes();
    let [most, bytes, looks] = [before, 0, 0];
    for await (const piece of streamOf(
      chooseExport(source, { device: "m1", capability: "motor" }, { fromMs: undefined, toMs: undefined }),
    )) {
      bytes += (piece as Buffer).length;
      if (bytes < (looks + 1) * LOOK_EVERY_BYTES) continue;
      looks += 1;
      most = Math.max(most, neededBytes());
    }
    await source.close();
    assert.ok(bytes > SAMPLES * 8 && looks > 2, `${bytes} bytes, ${looks} looks`);
    assert.ok(most - before < MAX_GROWTH_BYTES, `${streamOf.name}: ${Math.round((most - before) / 1e6)} MB more`);
  }
});
