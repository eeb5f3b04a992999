import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { readMcap } from "../testing/mcap-reader.ts";
import { completeFile } from "./complete.ts";
import { createMcapFile } from "./mcap-file.ts";
import { openFileSource } from "./source.ts";
import { msOf, nsOf } from "./times.ts";

const CHUNKS = 6;
const PER_CHUNK = 20;
const START_MS = 1_700_000_000_000;

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "recordings-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Two channels; the second begins in the middle of the file. */
async function writeSmall(path: string): Promise<void> {
  const handle = await open(path, "wx");
  const file = await createMcapFile(handle);
  const schema = (name: string) => ({
    name,
    data: Buffer.from('{"type":"object","properties":{"value":{"type":"number"}}}'),
  });
  const first = file.addChannel({
    topic: "/motor/motor",
    schema: schema("backplane.motor"),
    metadata: new Map([["device", "motor"]]),
  });
  let second: number | undefined;
  for (let i = 0; i < CHUNKS * PER_CHUNK; i += 1) {
    if (i === 50)
      second = file.addChannel({ topic: "/oven/air", schema: schema("backplane.temperature"), metadata: new Map() });
    const logTime = nsOf(START_MS + i);
    const data = Buffer.from(JSON.stringify({ value: i }));
    file.addMessage({
      channelId: i % 3 === 0 && second !== undefined ? second : first,
      logTime,
      publishTime: logTime,
      data,
    });
    if (i % PER_CHUNK === PER_CHUNK - 1) await file.endChunk();
  }
  await file.finish();
  await handle.close();
}

const valuesIn = (bytes: Buffer) => readMcap(bytes).messages.map(({ value }) => (value as { value: number }).value);
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

async function complete(path: string): Promise<Buffer | undefined> {
  const handle = await open(path, "r+");
  try {
    return (await completeFile(handle)) && readFileSync(path);
  } finally {
    await handle.close();
  }
}

test("a file is what the specification says, and has every message", async (t) => {
  const path = join(folderFor(t), "a.mcap");
  await writeSmall(path);
  const read = readMcap(readFileSync(path));
  assert.deepEqual(valuesIn(readFileSync(path)), upTo(CHUNKS * PER_CHUNK));
  assert.equal(read.chunkEnds.length, CHUNKS);
  assert.equal(read.metadata.get("/motor/motor")?.get("device"), "motor");
  assert.equal(read.schemas.get("/oven/air")?.encoding, "jsonschema");
});

test("a file that is cut anywhere has all messages of its whole chunks, and completing it twice changes nothing", async (t) => {
  const folder = folderFor(t);
  const whole = join(folder, "whole.mcap");
  await writeSmall(whole);
  const bytes = readFileSync(whole);
  const { chunkEnds } = readMcap(bytes);
  const path = join(folder, "cut.mcap");
  // Around every boundary, and anywhere: the numbers differ from run to run on purpose.
  const cuts = [
    ...chunkEnds.flatMap((end) => [end - 1, end, end + 1, end + 9]),
    ...Array.from({ length: 50 }, () => Math.floor(Math.random() * bytes.length)),
  ];
  for (const cut of cuts) {
    writeFileSync(path, bytes.subarray(0, cut));
    const completed = await complete(path);
    const said = `cut at ${cut} of ${bytes.length}`;
    if (!completed) {
      assert.ok(cut < 40, said);
      continue;
    }
    const values = valuesIn(completed);
    const wholeChunks = chunkEnds.filter((end) => end <= cut).length;
    assert.ok(values.length >= wholeChunks * PER_CHUNK, said);
    assert.deepEqual(values, upTo(values.length), said);
    assert.equal(values.length % PER_CHUNK, 0, said);
    assert.deepEqual(await complete(path), completed, said);
    const source = await openFileSource(path);
    const channels = source.channels();
    const events = await Array.fromAsync(source.read({ channels, lines: true }, START_MS - 1, START_MS + 1_000));
    assert.equal(events.length, values.length, `${said}: the other reader`);
    await source.close();
  }
});

test("what a disk left behind its last chunk is cut off: zeros, noise, a chunk that does not unpack", async (t) => {
  const folder = folderFor(t);
  const whole = join(folder, "whole.mcap");
  await writeSmall(whole);
  const bytes = readFileSync(whole);
  const { chunkEnds } = readMcap(bytes);
  const [before, last] = [chunkEnds.at(-2) ?? 0, chunkEnds.at(-1) ?? 0];
  const broken = Buffer.from(bytes.subarray(0, last));
  broken.fill(0xaa, before + 80, before + 120);
  const tails = {
    zeros: [Buffer.concat([bytes.subarray(0, before), Buffer.alloc(10_000)]), CHUNKS - 1],
    noise: [Buffer.concat([bytes.subarray(0, last), Buffer.alloc(5_000, 0xff)]), CHUNKS],
    "a huge record": [Buffer.concat([bytes.subarray(0, last), Buffer.from([6, 0, 0, 0, 0, 0, 0, 0, 0x7f, 1])]), CHUNKS],
    "a broken chunk": [broken, CHUNKS - 1],
  } as const;
  for (const [name, [tail, chunks]] of Object.entries(tails)) {
    const path = join(folder, "tail.mcap");
    writeFileSync(path, tail);
    assert.deepEqual(valuesIn((await complete(path)) as Buffer), upTo(chunks * PER_CHUNK), name);
  }
  for (const nothing of ["", "\x89MCAP0", "not a recording at all, but some text that is long enough"]) {
    writeFileSync(join(folder, "none.mcap"), nothing, "latin1");
    assert.equal(await complete(join(folder, "none.mcap")), undefined);
  }
});

test("times are the same after they were written and read", () => {
  let tMs = START_MS + 0.25;
  for (let i = 0; i < 10_000; i += 1) {
    assert.equal(msOf(nsOf(tMs)), tMs);
    tMs = i % 2 === 0 ? tMs + 0.001 : tMs + Math.random();
  }
});
