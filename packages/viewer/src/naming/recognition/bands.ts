import type { Bitmap, Box } from "./bitmap.ts";

/** Difference between neighbouring pixels at the edge of a letter. */
const EDGE = 48;
const MARGIN = 12;
/** About 200 characters; with fewer, cutting does not pay. */
const WORTH_CUTTING_EDGES = 5_000;
/** About 600 characters: worth starting a second engine. */
const WORTH_STARTING_EDGES = 16_000;
/** The smaller part must have this share of the text. */
const MIN_SHARE = 0.35;
/** Share of the edges of an average row; with more, a cut would go through letters. */
const QUIET = 0.4;

/** The part of the picture that has text; if it is a lot, cut into two bands with about equal text. Empty if there is none. */
export function cutIntoBands(bitmap: Bitmap, engines: { max: number; started: number }): Box[] {
  const edges = edgesByRow(bitmap);
  const top = edges.rows.findIndex((count) => count > 0);
  if (top === -1) return [];
  const bottom = edges.rows.findLastIndex((count) => count > 0) + 1;
  const left = edges.columns.findIndex((count) => count > 0);
  const right = edges.columns.findLastIndex((count) => count > 0) + 1;
  const from = Math.max(0, left - MARGIN);
  const to = Math.min(bitmap.width, right + MARGIN);
  const first = Math.max(0, top - MARGIN);
  const last = Math.min(bitmap.height, bottom + MARGIN);
  const whole = { left: from, top: first, width: to - from, height: last - first };
  const isWorthIt = edges.total > (engines.started > 1 ? WORTH_CUTTING_EDGES : WORTH_STARTING_EDGES);
  const cut = engines.max > 1 && isWorthIt ? cutBetween(edges.rows, edges.total) : undefined;
  if (cut === undefined) return [whole];
  return [
    { ...whole, height: cut - whole.top },
    { ...whole, top: cut, height: whole.top + whole.height - cut },
  ];
}

function edgesByRow({ data, width, height }: Bitmap): { rows: Uint32Array; columns: Uint32Array; total: number } {
  const rows = new Uint32Array(height);
  const columns = new Uint32Array(width);
  let total = 0;
  for (let y = 0; y < height; y++) {
    const line = data.subarray(y * width, (y + 1) * width);
    let count = 0;
    for (let x = 1; x < width; x++) {
      if (Math.abs((line[x] ?? 0) - (line[x - 1] ?? 0)) > EDGE) {
        count++;
        columns[x] = (columns[x] ?? 0) + 1;
      }
    }
    rows[y] = count;
    total += count;
  }
  return { rows, columns, total };
}

/** With little text, one title may be most of it: then not cutting is better than cutting through its letters. */
function cutBetween(rows: Uint32Array, total: number): number | undefined {
  const best = quietestRow(rows, total);
  const usual = total / Math.max(1, rows.filter((edges) => edges > 0).length);
  const isHarmless = total > WORTH_STARTING_EDGES || (best !== undefined && best.edges <= usual * QUIET);
  return isHarmless ? best?.row : undefined;
}

type QuietRow = { row: number; edges: number; size: number };

/** The centre of the widest gap in the middle third of the text: the rows with the fewest edges. */
function quietestRow(rows: Uint32Array, total: number): QuietRow | undefined {
  let before = 0;
  let best: QuietRow | undefined;
  let gap = 0;
  for (let y = 0; y < rows.length; y++) {
    const edges = rows[y] ?? 0;
    before += edges;
    if (before < total * MIN_SHARE) continue;
    if (before > total * (1 - MIN_SHARE)) break;
    gap = edges === rows[y - 1] ? gap + 1 : 1;
    const isBetter = best === undefined || edges < best.edges || (edges === best.edges && gap > best.size);
    if (isBetter) best = { row: y - (gap >> 1), edges, size: gap };
  }
  return best;
}
