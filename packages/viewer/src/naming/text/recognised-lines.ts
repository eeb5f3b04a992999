import type { Box } from "./bitmap.ts";
import type { EngineBlock, EngineLine, EngineWord } from "./engine.ts";
import { RECOGNISER_LIMITS } from "./limits.ts";
import type { PreparedBitmap } from "./prepare.ts";
import type { Line, RecognisedText } from "./recognised.ts";

/** Below it a word is an icon or a line of the drawing. */
const LEAST_CONFIDENCE = 35;
/** Of letters, as shares of the font's size. */
const X_HEIGHT = 0.53;
const ABOVE = 0.2;
const BELOW = 0.21;

/** What the engine said of each band, in the picture's own pixels. */
export function joinBands(bands: { box: Box; blocks: EngineBlock[] }[], bitmap: PreparedBitmap): RecognisedText {
  const lines: Line[] = [];
  const paragraphs: string[] = [];
  for (const { box, blocks } of bands) {
    for (const block of blocks) {
      const found = block.paragraphs
        .flatMap((paragraph) => paragraph.lines)
        .flatMap((line) => readLine(line, box, bitmap) ?? [])
        .slice(0, Math.max(0, RECOGNISER_LIMITS.maxLines - lines.length));
      if (found.length === 0) continue;
      lines.push(...found);
      paragraphs.push(found.map(({ text }) => text).join("\n"));
    }
  }
  return { lines: lines.sort((one, other) => one.y - other.y || one.x - other.x), text: paragraphs.join("\n\n") };
}

function readLine({ words, bbox }: EngineLine, box: Box, bitmap: PreparedBitmap): Line | undefined {
  const readable = words.filter(({ text, confidence }) => confidence >= LEAST_CONFIDENCE && text.trim() !== "");
  if (readable.length === 0) return undefined;
  const text = readable.map((word) => word.text.trim()).join(" ");
  const confidence = readable.reduce((sum, word) => sum + word.confidence, 0) / readable.length;
  return {
    text: text.slice(0, RECOGNISER_LIMITS.maxLineCharacters),
    height: median(readable.map(fontSize)) / bitmap.scaleY,
    x: (box.left + bbox.x0) / bitmap.scaleX,
    y: (box.top + bbox.y0) / bitmap.scaleY,
    width: (bbox.x1 - bbox.x0) / bitmap.scaleX,
    confidence,
  };
}

/** A box ends where its letters do: `run` is half as high as `Bug` in the same font. */
function fontSize({ text, bbox }: EngineWord): number {
  const above = /[A-Zbdfhijklt0-9]/.test(text) ? ABOVE : 0;
  const below = /[gjpqyQ,;()[\]{}|]/.test(text) ? BELOW : 0;
  return (bbox.y1 - bbox.y0) / (X_HEIGHT + above + below);
}

function median(numbers: number[]): number {
  return numbers.sort((one, other) => one - other)[numbers.length >> 1] ?? 1;
}
