import assert from "node:assert/strict";
import { test } from "node:test";
import { fileFault } from "./file-fault.ts";

const zip = Uint8Array.of(0x50, 0x4b, 3, 4);
const MAX = 256 * 1024 * 1024;

test("an archive that can be published is sent", () => {
  assert.equal(fileFault({ name: "a.zip", size: MAX, firstBytes: zip }, MAX), undefined);
  assert.equal(fileFault({ name: "a", size: 22, firstBytes: Uint8Array.of(0x50, 0x4b, 5, 6) }, undefined), undefined);
});

test("what the server would refuse is not sent, with the limit and the next step", () => {
  assert.equal(
    fileFault({ name: "big.zip", size: MAX + 60 * 1024 * 1024, firstBytes: zip }, MAX),
    "Not sent: big.zip has 316 MB, and an archive has at most 256 MB. Leave out what is not installed.",
  );
  assert.match(fileFault({ name: "a.zip", size: 0, firstBytes: new Uint8Array() }, MAX) ?? "", /is empty/);
  for (const firstBytes of [Uint8Array.of(0x1f, 0x8b, 8, 0), Uint8Array.of(0x50, 0x4b), new Uint8Array()]) {
    assert.match(fileFault({ name: "a.tar.gz", size: 9, firstBytes }, MAX) ?? "", /is not a zip archive/);
  }
});
