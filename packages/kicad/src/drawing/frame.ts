import type { Point } from "../schematic/geometry.ts";
import { type Drawn, drawn } from "./drawn.ts";
import { lineStyle, type Primitive, path, type Writing } from "./primitives.ts";
import { textWidth } from "./text.ts";

/** What is written in the corner of a sheet. */
export type FrameWords = {
  title: string;
  sheet: string;
  file: string;
  page: string;
  date: string;
  rev: string;
  company: string;
  comments: readonly string[];
};

const MARGIN_MM = 10;
const BAND_MM = 2;
/** A letter or a number for about every so many millimetres, on paper of any size. */
const MARK_MM = 50;
const MAX_MARKS = 200;
const BLOCK = { width: 110, row: 6, text: 1.5, title: 2.2 };

const STYLE = lineStyle("frame", { width: 0.15 });
const rectangle = (left: number, top: number, right: number, bottom: number): Primitive =>
  path(
    [
      { x: left, y: top },
      { x: right, y: top },
      { x: right, y: bottom },
      { x: left, y: bottom },
    ],
    STYLE,
    true,
  );
const line = (x1: number, y1: number, x2: number, y2: number): Primitive =>
  path(
    [
      { x: x1, y: y1 },
      { x: x2, y: y2 },
    ],
    STYLE,
  );

function words(text: string, at: Point, size: number, more: Partial<Writing> = {}): Writing {
  return {
    ...{ kind: "text", role: "frame", at, text, size, isTurned: false },
    ...{ across: "left", down: "center", isBold: false, isItalic: false },
    ...more,
  };
}

/** Cut with dots where there is no room. */
function fitted(text: string, size: number, room: number): string {
  const line = text.replaceAll("\n", " ");
  const most = Math.floor(room / (textWidth("m", size) || 1));
  return line.length <= most ? line : `${line.slice(0, Math.max(0, most - 1))}…`;
}

/** Letters and numbers at the edges, by which people name places. */
function marks(width: number, height: number): Primitive[] {
  const [columns, rows] = [width, height].map((side) =>
    Math.min(MAX_MARKS, Math.max(1, Math.round((side - 2 * MARGIN_MM) / MARK_MM))),
  ) as [number, number];
  const far = MARGIN_MM + BAND_MM;
  const made: Primitive[] = [];
  for (let column = 0; column < columns; column += 1) {
    const side = (width - 2 * MARGIN_MM) / columns;
    const middle = MARGIN_MM + (column + 0.5) * side;
    for (const y of [MARGIN_MM + BAND_MM / 2, height - MARGIN_MM - BAND_MM / 2])
      made.push(words(String(column + 1), { x: middle, y }, 1.2, { across: "center" }));
    if (column > 0) {
      const x = MARGIN_MM + column * side;
      made.push(line(x, MARGIN_MM, x, far), line(x, height - MARGIN_MM, x, height - far));
    }
  }
  for (let row = 0; row < rows; row += 1) {
    const side = (height - 2 * MARGIN_MM) / rows;
    const middle = MARGIN_MM + (row + 0.5) * side;
    for (const x of [MARGIN_MM + BAND_MM / 2, width - MARGIN_MM - BAND_MM / 2])
      made.push(words(String.fromCharCode(65 + (row % 26)), { x, y: middle }, 1.2, { across: "center" }));
    if (row > 0) {
      const y = MARGIN_MM + row * side;
      made.push(line(MARGIN_MM, y, far, y), line(width - MARGIN_MM, y, width - far, y));
    }
  }
  return made;
}

function titleBlock(width: number, height: number, said: FrameWords): Primitive[] {
  const [right, bottom] = [width - MARGIN_MM - BAND_MM, height - MARGIN_MM - BAND_MM];
  const left = Math.max(MARGIN_MM + BAND_MM, right - BLOCK.width);
  const rows = [
    ...said.comments.filter((comment) => comment !== "").toReversed(),
    ...(said.company === "" ? [] : [said.company]),
    `Sheet ${said.sheet}   File ${said.file}`,
  ];
  const room = right - left - 4;
  const top = bottom - BLOCK.row * (rows.length + 2);
  const made = [rectangle(left, top, right, bottom)];
  const under = (row: number) => line(left, top + row * BLOCK.row, right, top + row * BLOCK.row);
  const at = (row: number): Point => ({ x: left + 2, y: top + (row + 0.5) * BLOCK.row });
  for (const [row, text] of rows.entries())
    made.push(words(fitted(text, BLOCK.text, room), at(row), BLOCK.text), under(row + 1));
  made.push(
    words(fitted(said.title, BLOCK.title, room), at(rows.length), BLOCK.title, { isBold: true }),
    under(rows.length + 1),
    words(fitted(`Date ${said.date}   Rev ${said.rev}`, BLOCK.text, room * 0.7), at(rows.length + 1), BLOCK.text),
    words(said.page, { x: right - 2, y: at(rows.length + 1).y }, BLOCK.text, { across: "right" }),
  );
  return made;
}

/** The border of the paper and the block with the title. */
export function drawFrame({ width, height }: { width: number; height: number }, said: FrameWords): Drawn {
  const far = MARGIN_MM + BAND_MM;
  return drawn("frame", {
    canSelect: false,
    body: [
      rectangle(0, 0, width, height),
      rectangle(MARGIN_MM, MARGIN_MM, width - MARGIN_MM, height - MARGIN_MM),
      rectangle(far, far, width - far, height - far),
      ...marks(width, height),
      ...titleBlock(width, height, said),
    ],
  });
}
