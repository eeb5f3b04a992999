import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { PAGE_PATH, type Paste, type PasteList, VIEWER_LIMITS } from "@backplane/contract/viewer";
import { pngFacts, type RunningViewer } from "./viewer.ts";

export const digestOf = (bytes: Buffer): string => hash("sha256", bytes);
export const sizeOf = ({ width, height }: { width: number; height: number }): string => `${width}x${height}`;

/** All screenshots, newest first. */
export async function listAll(viewer: RunningViewer, token: string): Promise<Paste[]> {
  const all: Paste[] = [];
  for (let before = ""; ; ) {
    const answer = await fetch(`${viewer.url}${PAGE_PATH}/list?limit=${VIEWER_LIMITS.maxListed}${before}`, {
      headers: { "x-viewer-token": token },
    });
    assert.equal(answer.status, 200);
    const { pastes, more } = (await answer.json()) as PasteList;
    all.push(...pastes);
    if (!more) return all;
    before = `&before=${all.at(-1)?.id}`;
  }
}

/** One name, two files, each with the size in its file name. Returns the digest of the original. */
export function checkPair(viewer: RunningViewer, { name, optimized, original }: Paste): string {
  const paths = [optimized, original].map(({ path }) => basename(path));
  assert.deepEqual(paths, [`${name}-${sizeOf(optimized)}.png`, `${name}-${sizeOf(original)}-original.png`]);
  for (const [at, file] of [optimized, original].entries()) {
    assert.equal(sizeOf(pngFacts(viewer.path(paths[at] ?? ""))), sizeOf(file), name);
  }
  return digestOf(readFileSync(viewer.path(paths[1] ?? "")));
}

/** The visible files are exactly the pairs of these pastes. Returns the digest of each original by id. */
export function checkPairs(viewer: RunningViewer, pastes: readonly Paste[]): Map<string, string> {
  const expected = pastes.flatMap(({ optimized, original }) => [basename(optimized.path), basename(original.path)]);
  assert.deepEqual(viewer.files(), expected.sort(), "the visible files are exactly the listed pairs");
  assert.equal(new Set(expected).size, 2 * pastes.length);
  return new Map(pastes.map((paste) => [paste.id, checkPair(viewer, paste)]));
}
