import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import { until } from "../../../../scripts/testing/until.ts";
import { createModel } from "../model/model.ts";
import { capability, createClock, number } from "../testing/devices.ts";
import { readMcap } from "../testing/mcap-reader.ts";
import { createMemory } from "./memory.ts";
import { startWriting } from "./writing.ts";

const CHANNELS = 8;
const HZ = 60;
const SECONDS = 10;

test("a recording takes at most half of the bytes of JSON lines, and its channels say units", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "writing-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const clock = createClock();
  const onFault = (error: unknown) => assert.fail(String(error));
  const model = createModel({ now: clock.now, onFault });
  const memory = createMemory(model, { now: clock.now, onFault });
  const fields = { velocity_rad_s: { ...number, unit: "rad/s" }, current_a: number, temperature_c: number };
  for (let channel = 0; channel < CHANNELS; channel += 1)
    model.declare("homie", { id: `m${channel}`, name: "Motor", capabilities: [capability("motor", fields)] });
  const path = join(folder, "a.mcap");
  const writing = await startWriting({
    ...{ path, model, memory, fromMs: clock.nowMs, devices: undefined, maxBytes: 1e9, now: clock.now },
    ...{ sync: (handle) => handle.datasync(), onGrown: () => {}, onEnded: onFault },
  });
  let lineBytes = 0;
  for (let i = 0; i < HZ * SECONDS; i += 1) {
    clock.nowMs += 1_000 / HZ;
    for (let channel = 0; channel < CHANNELS; channel += 1) {
      const values = {
        velocity_rad_s: Number((Math.sin(i / 50 + channel) * 10).toFixed(4)),
        current_a: Number((Math.random() * 2).toFixed(4)),
        temperature_c: Number((30 + i / 5_000).toFixed(3)),
      };
      lineBytes += JSON.stringify({ t: clock.nowMs, topic: `/m${channel}/motor`, ...values }).length + 1;
      model.sample(`m${channel}`, "motor", values);
    }
    if (i % HZ === 0) await new Promise(setImmediate);
  }
  await writing.stop();
  const bytes = readFileSync(path);
  const { messages, metadata, schemas } = readMcap(bytes);
  assert.equal(messages.filter(({ topic }) => topic.endsWith("/motor")).length, CHANNELS * HZ * SECONDS);
  assert.ok(bytes.length <= lineBytes / 2, `${bytes.length} of ${lineBytes}`);
  assert.equal(metadata.get("/m0/motor")?.get("unit.velocity_rad_s"), "rad/s");
  const described = schemas.get("/m0/motor")?.data as { properties: object } | undefined;
  assert.deepEqual(Object.keys(described?.properties ?? {}), Object.keys(fields));
});

test("chunks are written while a slow disk takes its time, and a disk that fails ends the recording", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "writing-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const clock = createClock();
  const onFault = (error: unknown) => assert.fail(String(error));
  const model = createModel({ now: clock.now, onFault });
  const memory = createMemory(model, { now: clock.now, onFault });
  model.declare("homie", { id: "m", name: "Motor", capabilities: [capability("motor", { value: number })] });
  const disk = Promise.withResolvers<void>();
  const path = join(folder, "a.mcap");
  const [seen, ended] = [{ syncs: 0, lastMs: 0 }, [] as string[]];
  const writing = await startWriting({
    ...{ path, model, memory, fromMs: clock.nowMs, devices: undefined, maxBytes: 1e9, now: clock.now },
    sync: (handle) => (seen.syncs++ === 0 ? disk.promise : handle.datasync()),
    onGrown: () => {
      seen.lastMs = writing.lastMs;
    },
    onEnded: (reason) => void ended.push(reason),
  });
  for (let value = 0; value < 10; value += 1) {
    clock.nowMs += 2 * DEVICES_LIMITS.chunkMs;
    model.sample("m", "motor", { value });
    await until("it is written", () => seen.lastMs === clock.nowMs);
  }
  assert.equal(seen.syncs, 1, "one at a time");
  disk.reject(Object.assign(new Error("away"), { code: "EIO" }));
  await until("it has ended", () => ended.length > 0);
  assert.match(ended[0] ?? "", /could not be written \(EIO\)/);
  await writing.stop();
  assert.equal(readMcap(readFileSync(path)).messages.filter(({ topic }) => topic === "/m/motor").length, 10);
});
