import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32, gunzipSync } from "node:zlib";
import { sha256Of } from "../../values.ts";
import { crcFactor, createHasher, gzipPieces, joinCrcs, pieceOf, pieceOfText } from "./pieces.ts";

const TEXTS = ["", "a", "{}", "piece ".repeat(20_000), "ä€😀", "\0".repeat(70_000), ""];

test("pieces become one gzip file, whatever their number and size", async () => {
  for (let count = 0; count <= TEXTS.length; count += 1) {
    const texts = TEXTS.slice(0, count);
    const file = Buffer.concat(await gzipPieces(texts.map(pieceOfText)));
    assert.equal(gunzipSync(file).toString(), texts.join(""));
    // Readers such as curl stop after the first of several files.
    assert.equal(file.lastIndexOf(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])), 0);
  }
});

test("a piece is compressed once", async () => {
  const piece = pieceOfText(TEXTS.join("x"));
  const [first] = [await gzipPieces([piece]), await gzipPieces([pieceOfText("before"), piece])];
  assert.equal((await gzipPieces([piece]))[1], first[1]);
});

test("the checksum of two texts follows from theirs", () => {
  for (const [a, b] of [
    ["", ""],
    ["", "b"],
    ["a", ""],
    ["a".repeat(1_000), "b".repeat(65_537)],
  ] as const) {
    assert.equal(joinCrcs(crc32(a), crc32(b), crcFactor(b.length)), crc32(a + b));
  }
});

test("a file is hashed as a whole after any change of its pieces", async () => {
  const hash = createHasher();
  const all = ["first", "second", "third", "fourth"].map(pieceOfText);
  for (const places of [[0, 1, 2], [0, 1, 2], [0, 3, 2], [0], [], [1, 0], [1, 0, 2, 3], [1, 0, 3]]) {
    const pieces = places.flatMap((place) => all[place] ?? []);
    assert.equal(await hash(pieces), sha256Of(Buffer.concat(pieces.map(({ bytes }) => bytes))), places.join(" "));
  }
});

test("others get their turn while a large file is hashed", async () => {
  const pieces = Array.from({ length: 20 }, () => pieceOf(Buffer.alloc(1_000_000)));
  let [turns, isHashed] = [0, false];
  const turn = () => {
    turns += 1;
    if (!isHashed) setImmediate(turn);
  };
  setImmediate(turn);
  await createHasher()(pieces);
  isHashed = true;
  assert.ok(turns >= 5, `${turns} turns`);
});
