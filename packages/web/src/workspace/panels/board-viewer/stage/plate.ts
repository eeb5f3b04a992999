import type { Hole, Outline } from "@backplane/kicad/board";
import type { Point } from "@backplane/kicad/schematic";
import { BufferGeometry, Float32BufferAttribute, ShapeUtils, Vector2 } from "three";

/** Smaller holes are only painted. */
const MIN_HOLE_MM = 0.8;
/** More holes than these are painted as well: each one costs triangles. */
const MAX_HOLES = 600;
const HOLE_STEPS = 16;

export type Plate = { front: BufferGeometry; back: BufferGeometry; walls: BufferGeometry };

/** The middle of the board is the origin; y is upwards. */
export function toScene({ box }: Outline, { x, y }: Point): Vector2 {
  return new Vector2(x - (box.left + box.right) / 2, (box.top + box.bottom) / 2 - y);
}

function isInside(point: Vector2, loop: readonly Vector2[]): boolean {
  let inside = false;
  for (const [at, b] of loop.entries()) {
    const a = loop.at(at - 1) ?? b;
    if (a.y > point.y !== b.y > point.y && point.x < ((b.x - a.x) * (point.y - a.y)) / (b.y - a.y) + a.x)
      inside = !inside;
  }
  return inside;
}

/** The edge of a hole; a slot has two half circles. */
function holeLoop({ at, widthMm, heightMm, angle }: Hole, outline: Outline): Vector2[] {
  const radius = Math.min(widthMm, heightMm) / 2;
  const middle = toScene(outline, at);
  const turn = (angle * Math.PI) / 180;
  return Array.from({ length: HOLE_STEPS }, (_, step) => {
    const round = (step / HOLE_STEPS) * 2 * Math.PI;
    const [c, s] = [Math.cos(round), Math.sin(round)];
    const x = c * radius + Math.sign(Math.round(c * 1e6)) * (widthMm / 2 - radius);
    const y = s * radius + Math.sign(Math.round(s * 1e6)) * (heightMm / 2 - radius);
    return new Vector2(
      middle.x + x * Math.cos(turn) - y * Math.sin(turn),
      middle.y + x * Math.sin(turn) + y * Math.cos(turn),
    );
  });
}

/** Both faces of the board and its walls, with real holes. */
export function buildPlate(outline: Outline, holes: readonly Hole[], thicknessMm: number): Plate {
  const [places, walls]: [number[], number[]] = [[], []];
  const large = holes
    .filter(({ widthMm, heightMm }) => Math.min(widthMm, heightMm) >= MIN_HOLE_MM)
    .toSorted((a, b) => b.widthMm * b.heightMm - a.widthMm * a.heightMm)
    .slice(0, MAX_HOLES)
    .map((hole) => holeLoop(hole, outline));
  const half = thicknessMm / 2;
  const taken: Vector2[][] = [];
  for (const solid of outline.solids) {
    const contour = solid.points.map((point) => toScene(outline, point));
    const cuts = solid.holes.map((points) => points.map((point) => toScene(outline, point)));
    // A hole over an edge, or over another hole, cannot be cut into triangles; it is only painted.
    for (const loop of large) {
      const isFree = (other: readonly Vector2[]) => loop.every((point) => !isInside(point, other));
      if (loop.every((point) => isInside(point, contour)) && [...cuts, ...taken].every(isFree)) {
        cuts.push(loop);
        taken.push(loop);
      }
    }
    const points = [...contour, ...cuts.flat()];
    for (const triangle of ShapeUtils.triangulateShape(contour, cuts)) {
      for (const corner of triangle) {
        const point = points[corner];
        if (point) places.push(point.x, point.y);
      }
    }
    for (const loop of [contour, ...cuts]) addWalls(walls, loop, half);
  }
  const side = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(walls, 3));
  side.computeVertexNormals();
  return { front: faceOf(places, half, outline, 1), back: faceOf(places, -half, outline, -1), walls: side };
}

function addWalls(walls: number[], loop: readonly Vector2[], half: number): void {
  for (const [at, b] of loop.entries()) {
    const a = loop.at(at - 1) ?? b;
    walls.push(a.x, a.y, -half, b.x, b.y, -half, b.x, b.y, half);
    walls.push(a.x, a.y, -half, b.x, b.y, half, a.x, a.y, half);
  }
}

/** A face that shows the picture of its side. Pictures begin at the left top of the board, as seen from the front. */
function faceOf(places: readonly number[], z: number, { box }: Outline, up: 1 | -1): BufferGeometry {
  const [width, height] = [box.right - box.left, box.bottom - box.top];
  const [position, uv, normal]: [number[], number[], number[]] = [[], [], []];
  for (let at = 0; at < places.length; at += 2) {
    const [x = 0, y = 0] = [places[at], places[at + 1]];
    position.push(x, y, z);
    normal.push(0, 0, up);
    uv.push(x / width + 0.5, 0.5 - y / height);
  }
  return new BufferGeometry()
    .setAttribute("position", new Float32BufferAttribute(position, 3))
    .setAttribute("normal", new Float32BufferAttribute(normal, 3))
    .setAttribute("uv", new Float32BufferAttribute(uv, 2));
}
