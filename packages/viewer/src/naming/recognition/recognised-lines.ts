import { hideSecrets } from "../names/secret-labels.ts";
import type { Box } from "./bitmap.ts";
import type { EngineBlock, EngineLine, EngineWord } from "./engine.ts";
import { RECOGNISER_LIMITS } from "./limits.ts";
import type { PreparedBitmap } from "./prepare-bitmap.ts";

/** In pixels of the picture. */
export type Line = {
  text: string;
  /** The font size. */
  height: number;
  x: number;
  y: number;
  width: number;
  /** 0 to 100. */
  confidence: number;
};

export type RecognisedText = {
  /** From top to bottom, and from left to right within a row. Contains secrets. */
  lines: Line[];
  /** The lines in reading order, with an empty line between blocks. Without secrets. */
  text: string;
};

export const NOTHING_RECOGNISED: RecognisedText = { lines: [], text: "" };

/** Words with less are icons or lines of a drawing. */
const MIN_CONFIDENCE = 35;
/** In font sizes. */
const COLUMN_GAP = 1.5;
/** Parts of letters, as shares of the font size. */
const X_HEIGHT = 0.53;
const ABOVE = 0.2;
const BELOW = 0.21;

/**
 * Joins what the engines read, in pixels of the picture. Hides secrets in the text here, where positions are known: an engine
 * may read a form column by column, so that labels are far from their values.
 */
export function joinBands(bands: { box: Box; blocks: EngineBlock[] }[], bitmap: PreparedBitmap): RecognisedText {
  const paragraphs: Line[][] = [];
  let room: number = RECOGNISER_LIMITS.maxLines;
  let characters = 0;
  for (const { box, blocks } of bands) {
    for (const block of blocks) {
      const read = block.paragraphs.flatMap(({ lines }) => lines).flatMap((line) => readLine(line, box, bitmap) ?? []);
      const kept = read.slice(0, room).filter(({ text }) => {
        characters += text.length;
        return characters <= RECOGNISER_LIMITS.maxCharacters;
      });
      paragraphs.push(kept);
      room = Math.max(0, room - read.length);
    }
  }
  const lines = byRows(paragraphs.flat());
  const shown = hideSecrets(lines.map(({ text }) => text));
  const shownOf = new Map(lines.map((line, at) => [line, shown[at] ?? ""]));
  const texts = paragraphs
    .filter(({ length }) => length > 0)
    .map((paragraph) => paragraph.map((line) => shownOf.get(line)));
  return { lines, text: texts.map((paragraph) => paragraph.join("\n")).join("\n\n") };
}

/** From top to bottom, and from left to right within a row. */
function byRows(lines: readonly Line[]): Line[] {
  const middle = ({ y, height }: Line) => y + height / 2;
  const rows: Line[][] = [];
  for (const line of lines.toSorted((one, other) => middle(one) - middle(other))) {
    const row = rows.at(-1);
    const [first] = row ?? [];
    if (row === undefined || first === undefined || middle(line) - middle(first) > first.height / 2) rows.push([line]);
    else row.push(line);
  }
  return rows.flatMap((row) => row.sort((one, other) => one.x - other.x));
}

function readLine({ words, bbox }: EngineLine, box: Box, bitmap: PreparedBitmap): Line | undefined {
  const readable = words.filter(({ text, confidence }) => confidence >= MIN_CONFIDENCE && text.trim() !== "");
  if (readable.length === 0) return undefined;
  const size = median(readable.map(fontSize));
  const text = readable.map((word, at) => gapBefore(word, readable[at - 1], size) + word.text.trim()).join("");
  const confidence = readable.reduce((sum, word) => sum + word.confidence, 0) / readable.length;
  return {
    text: text.slice(0, RECOGNISER_LIMITS.maxLineCharacters),
    height: size / bitmap.scaleY,
    x: (box.left + bbox.x0) / bitmap.scaleX,
    y: (box.top + bbox.y0) / bitmap.scaleY,
    width: (bbox.x1 - bbox.x0) / bitmap.scaleX,
    confidence,
  };
}

/** Two spaces separate columns. */
function gapBefore(word: EngineWord, previous: EngineWord | undefined, size: number): string {
  if (previous === undefined) return "";
  return word.bbox.x0 - previous.bbox.x1 > size * COLUMN_GAP ? "  " : " ";
}

/** The box of a word depends on its letters: `run` is half as high as `Bug` in the same font. */
function fontSize({ text, bbox }: EngineWord): number {
  const above = /[A-Zbdfhijklt0-9]/.test(text) ? ABOVE : 0;
  const below = /[gjpqyQ,;()[\]{}|]/.test(text) ? BELOW : 0;
  return (bbox.y1 - bbox.y0) / (X_HEIGHT + above + below);
}

function median(numbers: number[]): number {
  return numbers.sort((one, other) => one - other)[numbers.length >> 1] ?? 1;
}
