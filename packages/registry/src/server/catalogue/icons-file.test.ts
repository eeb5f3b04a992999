import assert from "node:assert/strict";
import { test } from "node:test";
import { assertSameBytes } from "../../../../../scripts/testing/same-bytes.ts";
import { writeResources } from "../../repository/resources-zip.ts";
import { sha256Of } from "../../values.ts";
import { createIconsFile } from "./icons-file.ts";
import type { IndexFile } from "./index-file.ts";
import type { ListedPackage } from "./listed-package.ts";
import { createCutter } from "./segments.ts";

const SEGMENT = 4;
const ICON_BYTES = 100;

function packageOf(at: number, icon = `icon ${at}`.padEnd(ICON_BYTES)): ListedPackage {
  const identifier = `org.example.p${at.toString().padStart(3, "0")}`;
  const bytes = icon.trim() === "" ? undefined : Buffer.from(icon);
  const listed = { key: identifier, package: { identifier }, endsSegment: at % SEGMENT === SEGMENT - 1 };
  return { ...listed, icon: bytes && { bytes, sha256: sha256Of(bytes) } } as ListedPackage;
}

/** As one archive, written at once. */
function whole(packages: readonly ListedPackage[]): Buffer {
  const icons = packages.flatMap(({ package: { identifier }, icon }) =>
    icon ? [[identifier, icon.bytes] as const] : [],
  );
  return writeResources(new Map(icons));
}

function assertIs({ sha256, size, identity }: IndexFile, packages: readonly ListedPackage[]): void {
  const bytes = Buffer.concat(identity);
  assertSameBytes(bytes, whole(packages));
  assert.deepEqual([sha256, size], [sha256Of(bytes), bytes.length]);
}

test("after any change the icons are the same archive as one that is written at once, and only their own pieces are new", async () => {
  const [cut, iconsOf] = [createCutter(), createIconsFile()];
  const all = Array.from({ length: 5 * SEGMENT }, (_, at) => packageOf(at));
  const { resources } = await iconsOf(cut(all));
  assertIs(resources, all);
  assert.equal(resources.pieces.length, 5 + 1);
  const [changed, added] = [all.with(6, packageOf(6, "larger than before".repeat(20))), all.toSpliced(6, 1)];
  for (const packages of [changed, added, all.with(6, packageOf(6, "")), all.with(6, packageOf(6))]) {
    const next = (await iconsOf(cut(packages))).resources;
    assertIs(next, packages);
    const isNew = next.pieces.map((piece) => !resources.pieces.includes(piece));
    assert.deepEqual(isNew, [false, true, false, false, false, true]);
  }
});

test("without icons the archive is empty, and is not named", async () => {
  const [cut, iconsOf] = [createCutter(), createIconsFile()];
  for (const packages of [[], [packageOf(0, "")]]) {
    const { resources, hasResources } = await iconsOf(cut(packages));
    assertIs(resources, []);
    assert.equal(hasResources, false);
  }
});

test("icons beyond KiCad's limit, or beyond the entries of a zip, are left out, also after a change before them", async () => {
  const all = Array.from({ length: 3 * SEGMENT }, (_, at) => packageOf(at, at === 2 ? "" : undefined));
  const room = (icons: number) => icons * (ICON_BYTES + 512);
  for (const [max, fit] of [
    [{ bytes: room(5), entries: 100 }, 6],
    [{ bytes: room(6) - 1, entries: 100 }, 6],
    [{ bytes: room(100), entries: 7 }, 8],
    [{ bytes: 0, entries: 100 }, 0],
  ] as const) {
    const [cut, iconsOf] = [createCutter(), createIconsFile(max)];
    assertIs((await iconsOf(cut(all))).resources, all.slice(0, fit));
    const fewer = all.toSpliced(0, 1);
    assertIs((await iconsOf(cut(fewer))).resources, fewer.slice(0, fit));
    assertIs((await iconsOf(cut(all))).resources, all.slice(0, fit));
  }
});
