import { dirname } from "node:path";
import type { Disk } from "./disk.ts";
import { isThere } from "./tree.ts";

/** What is at `target` goes to `trash`, and what is staged takes its place. Without `staged` it only goes. */
export type Move = { target: string; staged?: string; trash: string };

/**
 * Where each thing is tells how far it came, so that this can be run again after having been cut off anywhere. Node
 * cannot exchange two folders in one step: between two renames nothing is at the target.
 */
export async function moveForward(disk: Disk, { target, staged, trash }: Move): Promise<void> {
  if (staged === undefined) {
    if (!(await isThere(trash)) && (await isThere(target))) await disk.rename(target, trash);
    return;
  }
  if (!(await isThere(staged))) return;
  if (await isThere(target)) await disk.rename(target, await freeName(trash));
  await disk.rename(staged, target);
}

/** The same from the other end; a forward move after any part of it still ends where it should. */
export async function moveBack(disk: Disk, { target, staged, trash }: Move): Promise<void> {
  if (staged !== undefined && !(await isThere(staged)) && (await isThere(target))) await disk.rename(target, staged);
  if (await isThere(trash)) await disk.rename(trash, target);
}

export async function flushMoves(disk: Disk, moves: readonly Move[]): Promise<void> {
  const paths = moves.flatMap(({ target, staged, trash }) => [
    target,
    trash,
    ...(staged === undefined ? [] : [staged]),
  ]);
  for (const folder of new Set(paths.map((path) => dirname(path)))) {
    if (await isThere(folder)) await disk.flushFolder(folder);
  }
}

/** Taken only when another program put something at the target after this was cut off. */
async function freeName(trash: string): Promise<string> {
  let name = trash;
  for (let number = 1; await isThere(name); number++) name = `${trash}.${number}`;
  return name;
}
