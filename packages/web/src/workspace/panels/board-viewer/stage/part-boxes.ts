import type { Side } from "@backplane/kicad/board";
import { BoxGeometry, Color, InstancedMesh, Matrix4, MeshLambertMaterial, Quaternion, Vector3 } from "three";
import type { BoardSummary, NamedPart } from "../worker/messages.ts";
import { toScene } from "./plate.ts";

/** Bodies differ a little, so that two that touch are told apart. */
const BODIES = ["#333a43", "#3d4650", "#47515d", "#525d6a"] as const;
export const PICKED = "#ffa25c";
const UP = new Vector3(0, 0, 1);
/** Between a part and the next one, courtyards leave this. */
const MARGIN_MM = 0.4;

/** A guess from the room that a part takes: nothing in the file says how high it is. */
export const heightOf = ({ yard, hasBody }: NamedPart): number =>
  yard && hasBody ? Math.min(8, 0.35 * Math.sqrt(yard.widthMm * yard.heightMm) + 0.2) : 0;

/** The parts of one side as boxes over their courtyards, in one mesh. */
export class PartBoxes {
  readonly mesh: InstancedMesh;
  /** Places in the list of parts, in the order of the boxes. */
  readonly parts: readonly number[];
  readonly #board: BoardSummary;
  readonly #side: Side;

  constructor(board: BoardSummary, side: Side) {
    this.#board = board;
    this.#side = side;
    // Holes of a board are parts without pads that carry copper: they have no body.
    const isBox = (part: NamedPart) =>
      part.side === side &&
      part.hasBody &&
      part.yard !== undefined &&
      !/^(H|MH|TP|FID|REF\*\*)\d*$/.test(part.reference);
    this.parts = board.parts.flatMap((part, place) => (isBox(part) ? [place] : []));
    this.mesh = new InstancedMesh(new BoxGeometry(1, 1, 1), new MeshLambertMaterial(), this.parts.length);
    for (const place of this.parts) this.setBody(place, true);
    this.pick(-1);
  }

  /** A part with a model of its own has no box. */
  setBody(place: number, isShown: boolean): void {
    const part = this.#board.parts[place];
    const at = this.parts.indexOf(place);
    if (!part?.yard || at < 0) return;
    const { yard } = part;
    const middle = toScene(this.#board.outline, yard.at);
    const high = heightOf(part);
    const z = (this.#board.thicknessMm / 2 + high / 2) * (this.#side === "front" ? 1 : -1);
    const turned = new Quaternion().setFromAxisAngle(UP, (yard.angle * Math.PI) / 180);
    const size = isShown ? new Vector3(narrower(yard.widthMm), narrower(yard.heightMm), high) : new Vector3(0, 0, 0);
    this.mesh.setMatrixAt(at, new Matrix4().compose(new Vector3(middle.x, middle.y, z), turned, size));
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  pick(place: number): void {
    for (const [at, part] of this.parts.entries())
      this.mesh.setColorAt(at, new Color(part === place ? PICKED : BODIES[at % BODIES.length]));
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
}

const narrower = (mm: number): number => Math.max(0.1, mm - MARGIN_MM);
