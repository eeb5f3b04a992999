import assert from "node:assert/strict";
import { test } from "node:test";
import { checkResources, gltfJson, ModelFault, resourcePath } from "./gltf-resources.ts";

const text = (value: string) => new TextEncoder().encode(value);

function glb(json: string, { magic = 0x46546c67, version = 2, length = json.length } = {}): Uint8Array {
  const bytes = new Uint8Array(20 + json.length);
  const view = new DataView(bytes.buffer);
  for (const [index, word] of [magic, version, bytes.length, length, 0x4e4f534a].entries())
    view.setUint32(4 * index, word, true);
  bytes.set(text(json), 20);
  return bytes;
}

test("the description is read from both file formats", () => {
  assert.deepEqual(gltfJson("gltf", text('{"a":1}')), { a: 1 });
  assert.deepEqual(gltfJson("glb", glb('{"a":1}')), { a: 1 });
});

test("a file that is not a model is refused with a reason", () => {
  assert.throws(() => gltfJson("glb", text("solid x")), /does not start like a GLB/);
  assert.throws(() => gltfJson("glb", glb("{}", { magic: 1 })), /does not start/);
  assert.throws(() => gltfJson("glb", glb("{}", { version: 1 })), /not glTF version 2/);
  assert.throws(() => gltfJson("glb", glb("{}", { length: 4_000_000_000 })), /cut off/);
  assert.throws(() => gltfJson("gltf", text("{")), ModelFault);
  assert.throws(() => gltfJson("gltf", new Uint8Array([0xff])), ModelFault);
  assert.throws(() => checkResources(null, "a.gltf"), ModelFault);
});

test("a model loads files of the project and nothing else", () => {
  checkResources(
    { buffers: [{ uri: "arm.bin" }, { uri: "data:,x" }, {}], images: [{ uri: "../t/x%20y.png" }] },
    "m/arm.gltf",
  );
  for (const uri of [
    "https://example.org/a.bin",
    "//example.org/a",
    "/etc/passwd",
    "../../a",
    "file:///a",
    "blob:x",
    "a\\b",
    "%E0%A4%A",
    7,
  ]) {
    assert.throws(
      () => checkResources({ buffers: [{ uri }] }, "m/arm.gltf"),
      /not a file of this project/,
      String(uri),
    );
  }
  assert.throws(
    () => checkResources({ buffers: Array.from({ length: 101 }, () => ({ uri: "a" })) }, "a.gltf"),
    /more than 100/,
  );
  assert.equal(resourcePath("m/arm.gltf", "x%20y.png"), "m/x y.png");
});

test("a dropped model must be complete, and an unsupported compression is named", () => {
  assert.throws(() => checkResources({ buffers: [{ uri: "arm.bin" }] }, undefined), /needs another file, "arm.bin"/);
  assert.throws(() => checkResources({ extensionsRequired: ["KHR_draco_mesh_compression"] }, "a"), /Draco/);
  checkResources({ buffers: [{ uri: "data:application/octet-stream;base64,AA==" }] }, undefined);
});
