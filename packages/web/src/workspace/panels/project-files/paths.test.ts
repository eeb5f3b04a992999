import assert from "node:assert/strict";
import { test } from "node:test";
import { extensionOf, filterFiles, folderOf, nameOf, resolvePath, sizeWords } from "./paths.ts";

test("a path has a folder, a name and an extension", () => {
  assert.deepEqual(
    [folderOf("src/a/b.test.TS"), nameOf("src/a/b.test.TS"), extensionOf("src/a/b.test.TS")],
    ["src/a/", "b.test.TS", "ts"],
  );
  assert.deepEqual([folderOf("Makefile"), nameOf("Makefile"), extensionOf("Makefile")], ["", "Makefile", ""]);
});

test("sizes have a unit", () => {
  assert.deepEqual([0, 812, 1_434, 204_800, 3_355_443].map(sizeWords), ["0 B", "812 B", "1.4 kB", "200 kB", "3.2 MB"]);
});

test("a relative path stays within the project", () => {
  assert.equal(resolvePath("models/arm.gltf", "arm.bin"), "models/arm.bin");
  assert.equal(resolvePath("models/arm.gltf", "./t/../../shared/x.png"), "shared/x.png");
  assert.equal(resolvePath("arm.gltf", "arm.bin"), "arm.bin");
  assert.equal(resolvePath("models/arm.gltf", "../../outside"), undefined);
});

const files = ["docs/imu.md", "imu/readme.md", "src/imu.ts", "src/yaw-pid.ts", "test/my-imu.ts"].map((path) => ({
  path,
  size: 1,
  modifiedAt: "",
}));
const found = (typed: string): string[] => filterFiles(files, typed).map(({ path }) => path);

test("names that start with what was typed come first, then those that contain it", () => {
  assert.deepEqual(found("imu"), ["docs/imu.md", "src/imu.ts", "test/my-imu.ts", "imu/readme.md"]);
  assert.deepEqual(found("SRC/"), ["src/imu.ts", "src/yaw-pid.ts"]);
});

test("letters in the right order are enough", () => {
  assert.deepEqual(found("sypid"), ["src/yaw-pid.ts"]);
  assert.deepEqual(found("zzz"), []);
  assert.equal(found(" ").length, files.length);
});
