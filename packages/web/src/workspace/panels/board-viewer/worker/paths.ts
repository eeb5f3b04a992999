import type { Board, Stroke } from "@backplane/kicad/board";
import type { Point } from "@backplane/kicad/schematic";

/** Areas and lines of one ink, ready to be drawn: lines of one width are one path. */
export class Ink {
  readonly #areas = new Path2D();
  readonly #lines = new Map<number, Path2D>();

  area(points: readonly Point[]): void {
    addLoop(this.#areas, points);
  }

  line(points: readonly Point[], widthMm: number): void {
    if (widthMm <= 0) return;
    let path = this.#lines.get(widthMm);
    if (!path) {
      path = new Path2D();
      this.#lines.set(widthMm, path);
    }
    for (const [place, { x, y }] of points.entries()) place === 0 ? path.moveTo(x, y) : path.lineTo(x, y);
  }

  stroke({ points, widthMm, isFilled }: Stroke): void {
    if (isFilled) this.area(points);
    this.line(points, widthMm);
  }

  circle({ x, y }: Point, radius: number): void {
    this.#areas.moveTo(x + radius, y);
    this.#areas.arc(x, y, radius, 0, 2 * Math.PI);
    this.#areas.closePath();
  }

  draw(brush: OffscreenCanvasRenderingContext2D, colour: string): void {
    brush.fillStyle = colour;
    brush.strokeStyle = colour;
    brush.lineCap = "round";
    brush.lineJoin = "round";
    brush.fill(this.#areas);
    for (const [width, path] of this.#lines) {
      brush.lineWidth = width;
      brush.stroke(path);
    }
  }
}

/** All loops go round the same way: two that overlap would otherwise leave a hole. */
function addLoop(path: Path2D, points: readonly Point[]): void {
  let twice = 0;
  for (const [place, { x, y }] of points.entries()) {
    const next = points[(place + 1) % points.length];
    if (next) twice += x * next.y - next.x * y;
  }
  const ordered = twice < 0 ? points.toReversed() : points;
  for (const [place, { x, y }] of ordered.entries()) place === 0 ? path.moveTo(x, y) : path.lineTo(x, y);
  path.closePath();
}

/** The board with its cut-outs. */
export function platePath({ outline }: Board): Path2D {
  const path = new Path2D();
  for (const { points, holes } of outline.solids) for (const loop of [points, ...holes]) addLoop(path, loop);
  return path;
}

/** The copper of a layer: of one net, or of all. */
export function copperInk(board: Board, layer: string, net?: number): Ink {
  const ink = new Ink();
  const isWanted = (each: { net: number }) => net === undefined || each.net === net;
  for (const zone of board.zones) {
    if (zone.layer !== layer || !isWanted(zone)) continue;
    for (const area of zone.areas) {
      ink.area(area);
      const [first] = area;
      if (zone.edgeMm > 0 && first) ink.line([...area, first], zone.edgeMm);
    }
  }
  for (const track of board.tracks) {
    if (track.layer === layer && isWanted(track)) ink.line(track.points, track.widthMm);
  }
  for (const via of board.vias) {
    if (via.layers.includes(layer) && isWanted(via)) ink.circle(via.at, via.sizeMm / 2);
  }
  for (const pad of board.pads) {
    if (pad.layers.has(layer) && isWanted(pad)) for (const stroke of pad.strokes) ink.stroke(stroke);
  }
  if (net === undefined) for (const graphic of board.graphics) if (graphic.layer === layer) ink.stroke(graphic);
  return ink;
}

/** What is drawn on a layer that is not copper. */
export function drawnInk(board: Board, layer: string): Ink {
  const ink = new Ink();
  for (const graphic of board.graphics) if (graphic.layer === layer) ink.stroke(graphic);
  return ink;
}

/** Pads that the mask of a side leaves open. */
export function openPadsInk(board: Board, mask: string, copper: string): Ink {
  const ink = new Ink();
  for (const pad of board.pads) {
    if (pad.layers.has(mask) && pad.layers.has(copper)) for (const stroke of pad.strokes) ink.stroke(stroke);
  }
  return ink;
}

/** Everything that was drilled. */
export function holesInk({ pads, vias }: Board): Ink {
  const ink = new Ink();
  for (const { at, drillMm } of vias) ink.circle(at, drillMm / 2);
  for (const { hole } of pads) {
    if (!hole) continue;
    const [long, short] = [Math.max(hole.widthMm, hole.heightMm), Math.min(hole.widthMm, hole.heightMm)];
    if (long === short) {
      ink.circle(hole.at, short / 2);
      continue;
    }
    const angle = (-hole.angle * Math.PI) / 180 + (hole.widthMm > hole.heightMm ? 0 : Math.PI / 2);
    const [dx, dy] = [(Math.cos(angle) * (long - short)) / 2, (Math.sin(angle) * (long - short)) / 2];
    const { x, y } = hole.at;
    ink.line(
      [
        { x: x - dx, y: y - dy },
        { x: x + dx, y: y + dy },
      ],
      short,
    );
  }
  return ink;
}
