import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { writeZip } from "./write-zip.ts";

const entries = [
  { path: "a/", bytes: Buffer.alloc(0) },
  { path: "a/x.txt", bytes: Buffer.from("hello, hello, hello"), store: true },
  { path: "\u00e4", bytes: Buffer.from("program"), mode: 0o755, store: true },
];

test("stored entries give the same bytes on every machine", () => {
  const sha256 = hash("sha256", writeZip(entries), "hex");
  assert.equal(sha256, "9ab1a54abee47e74ec24428672a71162d0238a65d2aa00f1f2d25af8150d30b3");
});

test("the same entries give the same bytes in every time zone", (t) => {
  const before = process.env.TZ;
  t.after(() => {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  });
  const inZone = (zone: string) => {
    process.env.TZ = zone;
    return writeZip(entries);
  };
  assert.deepEqual(inZone("Pacific/Kiritimati"), inZone("Pacific/Pago_Pago"));
});

test("an entry is compressed only if that makes it smaller, and not with `store`", () => {
  const method = (bytes: Uint8Array, store = false) => writeZip([{ path: "x", bytes, store }]).readUInt16LE(8);
  assert.equal(method(Buffer.alloc(1_000)), 8);
  assert.equal(method(Buffer.alloc(1_000), true), 0);
  assert.equal(method(Buffer.from("x")), 0);
});

test("more entries than the format holds are an error, not a damaged archive", () => {
  const many = Array.from({ length: 65_536 }, (_, index) => ({ path: `${index}`, bytes: Buffer.alloc(0) }));
  assert.throws(() => writeZip(many), RangeError);
});
