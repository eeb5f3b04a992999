import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { createConnect, createGuard } from "@backplane/kit/guard";
import { startCamera } from "@backplane/simulators";
import { findFfmpeg } from "../../../../scripts/services/index.ts";
import { until } from "../../../../scripts/testing/until.ts";
import { openConverter } from "./convert.ts";
import { createFfmpeg } from "./ffmpeg.ts";

const START = Buffer.from([0, 0, 1]);

/** The units of one black picture. */
async function blackPicture(size: string): Promise<Buffer[]> {
  const input = ["-v", "error", "-f", "lavfi", "-i", `color=c=black:size=${size}:rate=1`, "-frames:v", "1"];
  const output = ["-c:v", "libx264", "-preset", "ultrafast", "-threads", "1", "-f", "h264", "pipe:1"];
  const made = promisify(execFile)("ffmpeg", [...input, ...output], { encoding: "buffer", maxBuffer: 64_000_000 });
  const bytes = (await made).stdout;
  const units: Buffer[] = [];
  for (let at = bytes.indexOf(START); at !== -1; ) {
    const next = bytes.indexOf(START, at + START.length);
    units.push(bytes.subarray(at + START.length, next === -1 ? bytes.length : next));
    at = next;
  }
  return units;
}

test("a picture that is larger than 8K is not converted; others are", async (t) => {
  await findFfmpeg();
  const allow = ["127.0.0.0/8"];
  const guard = createGuard({ allow, baseUrl: "http://localhost:8790", framesUrl: "http://*.localhost:8790" });
  const tools = { network: { guard, connect: createConnect(guard) }, ffmpeg: createFfmpeg(Date.now) };
  for (const [size, isConverted] of [
    ["640x360", true],
    ["16384x8192", false],
  ] as const) {
    const units = await blackPicture(size);
    const camera = await startCamera({
      port: 0,
      open(onPicture) {
        let tMs = 0;
        const timer = setInterval(() => {
          tMs += 40;
          onPicture({ tMs, isKey: true, units });
        }, 40);
        return () => clearInterval(timer);
      },
    });
    const seen = { pictures: 0, ended: "" };
    const converter = openConverter(
      tools,
      { address: camera.address, credentials: undefined },
      {
        codec() {},
        refused: assert.fail,
        picture() {
          seen.pictures += 1;
        },
        ended(reason) {
          seen.ended = reason;
        },
      },
    );
    t.after(() => camera.close());
    t.after(() => converter.close());
    await until(`${size} is converted, or not`, () => seen.pictures > 0 || seen.ended !== "");
    assert.equal(seen.pictures > 0, isConverted, `${size}: ${seen.ended}`);
    if (!isConverted) assert.match(seen.ended, /ffmpeg has ended/);
    converter.close();
  }
});
