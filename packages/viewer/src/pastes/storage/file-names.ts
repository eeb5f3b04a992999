import type { PasteFileName } from "../../services.ts";
import { PASTES_LIMITS } from "./limits.ts";

export const BOTH_FILES: readonly PasteFileName[] = ["optimized", "original"];

type Size = { width: number; height: number };
type Named = { readonly name: string } & { readonly [File in PasteFileName]: Size };

/** `<name>-<width>x<height>.png`, or `…-original.png`, with each file's own size. */
const fileName = (name: string, file: PasteFileName, { width, height }: Size): string =>
  `${name}-${width}x${height}${file === "original" ? "-original" : ""}.png`;

export const nameOfFile = (record: Named, file: PasteFileName, name = record.name): string =>
  fileName(name, file, record[file]);

const SIZE_AND_ENDING = /-\d+x\d+(?:-original)?\.png$/;

/** The name in a file name; undefined if it is not the file of a screenshot. */
export const nameInFile = (file: string): string | undefined =>
  SIZE_AND_ENDING.test(file) ? file.replace(SIZE_AND_ENDING, "") : undefined;

/** `login` → `login-2`; a name that would get too long is cut. */
export function numbered(base: string, number: number): string {
  const suffix = `-${number}`;
  return base.slice(0, PASTES_LIMITS.maxNameCharacters - suffix.length).replace(/(?<!-)-+$/, "") + suffix;
}

/** UTC, `YYYYMMDD-HHMMSS-mmm`. */
function timestamp(atMs: number): string {
  const [date = "", time = ""] = new Date(atMs).toISOString().replace("Z", "").split("T");
  return `${date.replaceAll("-", "")}-${time.replaceAll(":", "").replace(".", "-")}`;
}

/** What a screenshot is called until it has a name. */
export const firstName = (atMs: number): string => `sp-${timestamp(atMs)}`;

const ID_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
const RANDOM_LETTERS = 6;

/** Ids sort by time. */
export function newId(atMs: number, random: (bytes: number) => Uint8Array): string {
  const letters = [...random(RANDOM_LETTERS)].map((byte) => ID_LETTERS[byte % ID_LETTERS.length]);
  return `${timestamp(atMs)}-${letters.join("")}`;
}
