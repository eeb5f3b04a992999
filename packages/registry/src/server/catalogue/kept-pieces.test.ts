import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { addGzip, fileOfPieces } from "./index-file.ts";
import { openKeptPieces } from "./kept-pieces.ts";
import { gzipPieces, type Piece, pieceOfText } from "./pieces.ts";

const TEXTS = ["first ".repeat(400), "ä€😀", "third".repeat(30_000), ""];
const nameOf = (text: string): string => `${text.length} from ${text.slice(0, 7)}`;
const NAMES = TEXTS.map(nameOf);

function fileFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "kept-pieces-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, "pieces");
}

const open = (file: string, { writtenBy = "1.0", minBytes = 0 } = {}) => openKeptPieces({ file, writtenBy, minBytes });

/** Finds or writes each text; `written` are the names of those that had to be written. */
async function findAll(file: string, texts: readonly string[], options?: Parameters<typeof open>[1]) {
  const kept = await open(file, options);
  const written: string[] = [];
  const pieces = texts.map((text) => {
    const name = nameOf(text);
    return kept.find(name, () => {
      written.push(name);
      return pieceOfText(text);
    });
  });
  return { kept, pieces, written };
}

async function savedFile(t: TestContext, texts: readonly string[] = TEXTS): Promise<string> {
  const file = fileFor(t);
  const { kept, pieces, written } = await findAll(file, texts);
  assert.deepEqual(written, texts.map(nameOf));
  await kept.save([await compressedFile(pieces)]);
  return file;
}

async function compressedFile(pieces: readonly Piece[]) {
  const file = fileOfPieces("packages.json", [pieceOfText("["), ...pieces, pieceOfText("]")], "");
  await addGzip(file);
  return file;
}

test("pieces of the last run are found with the same bytes, and need not be compressed again", async (t) => {
  const file = await savedFile(t);
  const { pieces, written } = await findAll(file, TEXTS);
  assert.deepEqual(written, []);
  assert.deepEqual(
    pieces.map(({ bytes }) => bytes.toString()),
    TEXTS,
  );
  const streams = await Promise.all(pieces.map(({ compressed }) => compressed));
  assert.ok(streams.every((each) => each !== undefined));
  assert.deepEqual(await gzipPieces(pieces), await gzipPieces(TEXTS.map(pieceOfText)));
});

test("a piece that has changed is written again, and one that is no longer used is not kept", async (t) => {
  const file = await savedFile(t);
  const texts = TEXTS.with(1, "changed ".repeat(200));
  const { kept, pieces, written } = await findAll(file, texts);
  assert.deepEqual(written, [nameOf(texts[1] ?? "")]);
  await kept.save([await compressedFile(pieces)]);
  assert.deepEqual((await findAll(file, texts)).written, []);
  assert.deepEqual((await findAll(file, TEXTS)).written, [NAMES[1]]);
});

test("a file that is damaged, cut off, empty or something else is not used", async (t) => {
  const file = await savedFile(t);
  const good = readFileSync(file);
  const damaged = Array.from({ length: 40 }, (_, turn) => {
    const at = Math.floor((turn * good.length) / 40);
    return good.map((byte, place) => (place === at ? byte ^ 1 : byte));
  });
  const cutOff = [0, 1, 31, 32, 33, 36, 100, good.length - 1].map((length) => good.subarray(0, length));
  for (const content of [...damaged, ...cutOff, Buffer.concat([good, Buffer.from("more")]), Buffer.from("{}")]) {
    writeFileSync(file, content);
    assert.deepEqual((await findAll(file, TEXTS)).written, NAMES);
  }
  writeFileSync(file, good);
  assert.deepEqual((await findAll(file, TEXTS)).written, []);
});

test("what another version of the program has kept is not used, and is replaced", async (t) => {
  const file = await savedFile(t);
  const { kept, pieces, written } = await findAll(file, TEXTS, { writtenBy: "1.1" });
  assert.deepEqual(written, NAMES);
  await kept.save([await compressedFile(pieces)]);
  assert.deepEqual((await findAll(file, TEXTS, { writtenBy: "1.1" })).written, []);
  assert.deepEqual((await findAll(file, TEXTS)).written, NAMES);
});

test("nothing is saved if little was written or nothing has changed, and nothing is found once it is forgotten", async (t) => {
  const small = fileFor(t);
  const { kept: few, pieces: fewPieces } = await findAll(small, TEXTS, { minBytes: 1_000_000 });
  await few.save([await compressedFile(fewPieces)]);
  assert.equal(statSync(small, { throwIfNoEntry: false }), undefined);

  const file = await savedFile(t);
  const { kept, pieces } = await findAll(file, TEXTS);
  rmSync(file);
  await kept.save([await compressedFile(pieces)]);
  assert.equal(statSync(file, { throwIfNoEntry: false }), undefined);
  kept.forget();
  assert.equal(kept.find(NAMES[0] ?? "", () => pieceOfText("written")).bytes.toString(), "written");
});
