import assert from "node:assert/strict";
import { test } from "node:test";
import { counted } from "../parts/words.ts";
import { age, captionOf, platformList, shortHash, sizeWords, toolRange, versionKey } from "./words.ts";

test("a size is shown in a fitting unit", () => {
  const sizes: [number, string][] = [
    [0, "0 bytes"],
    [1, "1 byte"],
    [1_023, "1023 bytes"],
    [1_024, "1 KB"],
    [428_032, "418 KB"],
    [1024 * 1024 - 1, "1.0 MB"],
    [1_363_149, "1.3 MB"],
    [42 * 1024 * 1024, "42 MB"],
    [256 * 1024 * 1024, "256 MB"],
    [1024 ** 3, "1.0 GB"],
  ];
  for (const [bytes, words] of sizes) assert.equal(sizeWords(bytes), words);
});

test("an age is shown in words", () => {
  const now = new Date(2026, 10, 15, 9, 0);
  const before = (days: number, hour = 23) => new Date(2026, 10, 15 - days, hour);
  const ages: [number, string][] = [
    [0, "today"],
    [1, "yesterday"],
    [3, "3 days ago"],
    [7, "last week"],
    [15, "2 weeks ago"],
    [27, "3 weeks ago"],
    [28, "last month"],
    [62, "2 months ago"],
    [364, "11 months ago"],
    [365, "last year"],
    [800, "2 years ago"],
  ];
  for (const [days, words] of ages) assert.equal(age(before(days), now), words);
  assert.equal(age(new Date(2026, 10, 16), now), "today", "a server's clock may be ahead");
});

test("tool versions and platforms are shown as ranges and lists", () => {
  assert.equal(toolRange({ tool_version: "9.0" }), "9.0 and later");
  assert.equal(toolRange({ tool_version: "8.0", tool_version_max: "9.0" }), "8.0 to 9.0");
  assert.equal(toolRange({ tool_version: "9.0", tool_version_max: "9.0" }), "9.0");
  assert.equal(platformList(undefined), "All");
  assert.equal(platformList(["windows", "macos"]), "Windows, macOS");
});

test("counts, version keys and hashes", () => {
  assert.equal(counted(1, "file"), "1 file");
  assert.equal(counted(1_204, "file"), "1,204 files");
  assert.equal(versionKey({ version: "2.3.0" }), "2.3.0");
  assert.equal(versionKey({ version: "2.3.0", version_epoch: 1 }), "1-2.3.0");
  assert.equal(shortHash("9f2c41d07be8".padEnd(58, "0").concat("c6d1a4")), "9f2c41d07be8…c6d1a4");
});

test("the caption of a screenshot is its file name in words", () => {
  assert.deepEqual(["1-layer-stack", "02_board", "screenshot", "3-", ""].map(captionOf), [
    ...["Layer stack", "Board", "Screenshot", "Screenshot", "Screenshot"],
  ]);
});
