import assert from "node:assert/strict";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Picture } from "../streams/picture.ts";
import { createMcapFile } from "./mcap-file.ts";
import { openFileSource } from "./source.ts";
import { nsOf } from "./times.ts";
import { openVideoIntake, unitsOf, videoChannel, videoMessage } from "./video.ts";
import { indexVideo, videoFile } from "./video-file.ts";

const AT_MS = Date.UTC(2026, 10, 17, 12);
const SEQUENCE = Buffer.from("Z0LAHtoCgL/lwEQAAAMABAAAAwDyPFi6gA==", "base64");
const PARAMETERS = { sequence: SEQUENCE, picture: Buffer.from("aM48gA==", "base64") };

const pictureAt = (ms: number, isKey: boolean, bytes = 100): Picture => ({
  ...{ tMs: AT_MS + ms, isKey },
  units: isKey ? [PARAMETERS.sequence, PARAMETERS.picture, Buffer.alloc(bytes, 0x65)] : [Buffer.alloc(bytes, 0x41)],
});

test("pictures are messages that tools know, and the same units again", () => {
  const picture = pictureAt(1_250.5, true);
  const message = videoMessage("door", picture) as { timestamp: object; format: string };
  assert.deepEqual(message.timestamp, { sec: AT_MS / 1_000 + 1, nsec: 250_500_000 });
  assert.equal(message.format, "h264");
  assert.deepEqual(unitsOf(JSON.parse(JSON.stringify(message))), picture.units);
});

test("what cannot be written in time is left out up to the next key picture", () => {
  let give: (stream: string, picture: Picture) => void = () => {};
  const intake = openVideoIntake((take) => {
    give = take;
    return () => {};
  });
  give("door", pictureAt(0, false));
  give("door", pictureAt(40, true));
  give("door", pictureAt(80, false, 17_000_000));
  give("door", pictureAt(120, false));
  give("door", pictureAt(160, true));
  give("door", pictureAt(200, false));
  const times = (untilMs: number) => intake.take(AT_MS + untilMs).map(({ picture }) => picture.tMs - AT_MS);
  assert.deepEqual(times(180), [40, 160]);
  assert.deepEqual(times(Number.POSITIVE_INFINITY), [200]);
});

test("a recorded stream is found by the index of the file, and cut into parts at key pictures", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "video-"));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, "one.mcap");
  const handle = await open(path, "wx");
  const file = await createMcapFile(handle);
  const [key, other] = [
    file.addChannel(videoChannel("door", PARAMETERS)),
    file.addChannel(videoChannel("door", undefined)),
  ];
  for (let i = 0; i < 25 * 7; i += 1) {
    const picture = pictureAt(i * 40, i % 25 === 0);
    const logTime = nsOf(picture.tMs);
    const data = Buffer.from(JSON.stringify(videoMessage("door", picture)));
    file.addMessage({ channelId: picture.isKey ? key : other, logTime, publishTime: logTime, data });
    if (i % 40 === 0) await file.endChunk();
  }
  await file.finish();
  await handle.close();

  assert.equal(await indexVideo(path, "yard"), undefined);
  const index = await indexVideo(path, "door");
  assert.ok(index);
  const text = async (name: string) => (await videoFile(path, "door", index, name))?.bytes.toString("latin1") ?? "";
  const lines = (await text("index.m3u8")).split("\n");
  assert.deepEqual(
    lines.filter((line) => line.startsWith("#EXTINF")),
    ["#EXTINF:2.000000,", "#EXTINF:2.000000,", "#EXTINF:2.000000,", "#EXTINF:1.000000,"],
  );
  assert.ok(lines.includes("#EXT-X-PROGRAM-DATE-TIME:2026-11-17T12:00:00.000Z") && lines.includes("#EXT-X-ENDLIST"));
  assert.equal((await text(`init-${key}.mp4`)).slice(4, 8), "ftyp");
  const part = (await videoFile(path, "door", index, "part-1.m4s"))?.bytes;
  assert.ok(part);
  // 50 pictures with four bytes before each, from the second key picture but one.
  assert.equal(part.length - part.readUInt32BE(0), 8 + 50 * 104);
  assert.equal(part.indexOf("tfdt") > 0 && part.readBigUInt64BE(part.indexOf("tfdt") + 8), 2_000n * 90n);
  for (const name of ["part-4.m4s", "init-9.mp4", "part-1e1.m4s"]) assert.equal(await text(name), "");

  const source = await openFileSource(path);
  t.after(() => source.close());
  assert.deepEqual(source.channels(), [], "a stream is not a device");
});
