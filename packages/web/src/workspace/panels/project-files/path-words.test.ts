import assert from "node:assert/strict";
import { test } from "node:test";
import { endingOf, folderOf, nameOf, resolvePath, sizeWords } from "./path-words.ts";

test("a path has a folder, a name and an ending", () => {
  assert.deepEqual(
    [folderOf("src/a/b.test.TS"), nameOf("src/a/b.test.TS"), endingOf("src/a/b.test.TS")],
    ["src/a/", "b.test.TS", "ts"],
  );
  assert.deepEqual([folderOf("Makefile"), nameOf("Makefile"), endingOf("Makefile")], ["", "Makefile", ""]);
});

test("sizes are told with their unit", () => {
  assert.deepEqual([0, 812, 1_434, 204_800, 3_355_443].map(sizeWords), ["0 B", "812 B", "1.4 kB", "200 kB", "3.2 MB"]);
});

test("a file that another one names stays within the project", () => {
  assert.equal(resolvePath("models/arm.gltf", "arm.bin"), "models/arm.bin");
  assert.equal(resolvePath("models/arm.gltf", "./t/../../shared/x.png"), "shared/x.png");
  assert.equal(resolvePath("arm.gltf", "arm.bin"), "arm.bin");
  assert.equal(resolvePath("models/arm.gltf", "../../outside"), undefined);
});
