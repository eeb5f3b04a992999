import assert from "node:assert/strict";
import { test } from "node:test";
import { filterFiles } from "./filter-files.ts";

const files = ["docs/imu.md", "imu/readme.md", "src/imu.ts", "src/yaw-pid.ts", "test/my-imu.ts"].map((path) => ({
  path,
  size: 1,
  modifiedAt: "",
}));
const found = (typed: string): string[] => filterFiles(files, typed).map(({ path }) => path);

test("files whose name begins with what was typed come first, then those that have it anywhere", () => {
  assert.deepEqual(found("imu"), ["docs/imu.md", "src/imu.ts", "test/my-imu.ts", "imu/readme.md"]);
  assert.deepEqual(found("SRC/"), ["src/imu.ts", "src/yaw-pid.ts"]);
});

test("letters in their order are enough", () => {
  assert.deepEqual(found("sypid"), ["src/yaw-pid.ts"]);
  assert.deepEqual(found("zzz"), []);
  assert.equal(found(" ").length, files.length);
});
