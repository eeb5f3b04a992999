import assert from "node:assert/strict";
import { test } from "node:test";
import { fromBuffer } from "yauzl";
import { SAMPLE_ICON } from "../archives/samples.suite.ts";
import { writeResources } from "./resources-zip.ts";

const other = Buffer.from([...SAMPLE_ICON, 0]);

function entriesOf(bytes: Buffer): Promise<{ name: string; method: number; size: number }[]> {
  return new Promise((resolve, reject) => {
    fromBuffer(bytes, (error, zip) => {
      if (error) return reject(error);
      const found: { name: string; method: number; size: number }[] = [];
      zip.on("entry", ({ fileName, compressionMethod, uncompressedSize }) => {
        found.push({ name: fileName, method: compressionMethod, size: uncompressedSize });
      });
      zip.on("end", () => resolve(found));
    });
  });
}

test("icons are at <identifier>/icon.png, uncompressed, sorted by identifier", async () => {
  const icons = new Map([
    ["org.b", SAMPLE_ICON],
    ["org.a", other],
  ]);
  assert.deepEqual(await entriesOf(writeResources(icons)), [
    { name: "org.a/icon.png", method: 0, size: other.length },
    { name: "org.b/icon.png", method: 0, size: SAMPLE_ICON.length },
  ]);
});

test("the same icons give the same bytes, in whatever order they come", () => {
  const icons: [string, Buffer][] = [
    ["org.b", SAMPLE_ICON],
    ["org.a", other],
  ];
  assert.deepEqual(writeResources(new Map(icons)), writeResources(new Map(icons.toReversed())));
});

test("without icons the archive is empty", async () => {
  const bytes = writeResources(new Map());
  assert.equal(bytes.readUInt32LE(0), 0x06054b50);
});
