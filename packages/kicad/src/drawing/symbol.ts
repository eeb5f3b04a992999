import type { Field } from "../schematic/fields.ts";
import { type Point, symbolTransform, transformPoint } from "../schematic/geometry.ts";
import type { PlacedSymbol } from "../schematic/items.ts";
import type { LibrarySymbol } from "../schematic/library.ts";
import type { Shape } from "../schematic/shapes.ts";
import { partsOf, placePin } from "../schematic/symbols.ts";
import { boxOf, joined } from "./boxes.ts";
import { type Drawn, drawn } from "./drawn.ts";
import { drawPin } from "./pins.ts";
import { arcThrough, circle, curvePoints, lineStyle, type Primitive, path, type Role } from "./primitives.ts";
import { spinOf } from "./shapes.ts";
import { styleOf } from "./styles.ts";
import { symbolWriting, textInSymbol } from "./writing.ts";

/** The words of texts that name something else, such as `${VALUE}`. */
export type Wording = (text: string) => string;

type Place = (point: { x: number; y: number }) => { x: number; y: number };

/** A shape of the file as primitives; `place` brings its points to the sheet. */
export function drawShape(role: Role, shape: Shape, place: Place = (point) => point): Primitive[] {
  const style = styleOf(role, shape.stroke, undefined, shape.fill);
  if (shape.shape === "circle") return [circle(place(shape.center), shape.radiusMm, style)];
  if (shape.shape === "arc") return [arcThrough(place(shape.start), place(shape.mid), place(shape.end), style)];
  if (shape.shape === "rectangle") {
    const { start, end } = shape;
    const corners = [start, { x: end.x, y: start.y }, end, { x: start.x, y: end.y }];
    return [path(corners.map(place), style, true)];
  }
  const points = shape.points.map(place);
  const [a, b, c, d] = points;
  if (shape.shape === "bezier" && a && b && c && d) return [path(curvePoints([a, b, c, d]), style)];
  return points.length === 0 ? [] : [path(points, style)];
}

const ROLES: Readonly<Record<string, Role>> = { Reference: "reference", Value: "value" };

function drawFields(symbol: PlacedSymbol, reference: string, wording: Wording): Primitive[] {
  const wordsOf = (field: Field) => {
    const words = field.name === "Reference" ? reference : wording(field.text);
    return field.showName ? `${field.name}: ${words}` : words;
  };
  return symbol.fields
    .filter((field) => !field.effects.hidden && wordsOf(field) !== "")
    .map((field) => {
      const role = ROLES[field.name] ?? "field";
      // The name of a supply says as much as a reference does elsewhere.
      const shown = role === "value" && symbol.library?.power !== undefined ? "reference" : role;
      return symbolWriting(shown, field, wordsOf(field), symbol.transform, field.at);
    });
}

const MISSING_MM = 2.54;

function missing({ at }: PlacedSymbol): Primitive[] {
  const [left, right, top, bottom] = [at.x - MISSING_MM, at.x + MISSING_MM, at.y - MISSING_MM, at.y + MISSING_MM];
  const style = lineStyle("missing");
  const corners = [
    { x: left, y: top },
    { x: right, y: top },
    { x: right, y: bottom },
    { x: left, y: bottom },
  ];
  return [
    path(corners, style, true),
    {
      ...{ kind: "text", role: "missing", at, text: "??", size: 1.27, isTurned: false },
      ...{ across: "center", down: "center", isBold: true, isItalic: false },
    },
  ];
}

/** Parts that are not to be placed are crossed out. */
function crossedOut(body: readonly Primitive[]): Primitive[] {
  const { left, top, right, bottom } = joined(body.map(boxOf));
  const style = lineStyle("missing", { width: 0.254 });
  return [
    path(
      [
        { x: left, y: top },
        { x: right, y: bottom },
      ],
      style,
    ),
    path(
      [
        { x: left, y: bottom },
        { x: right, y: top },
      ],
      style,
    ),
  ];
}

/** Body and pins. */
function drawBody({
  library,
  transform,
  parts,
  pins,
}: Pick<PlacedSymbol, "transform" | "parts" | "pins"> & { library: LibrarySymbol }): Primitive[] {
  const place: Place = (point) => transformPoint(transform, point);
  const shapes = parts.flatMap((part) => part.shapes.flatMap((shape) => drawShape("body", shape, place)));
  // What has a ground comes first: it would cover the lines of the others.
  const hasGround = (shape: Primitive) => shape.kind !== "text" && shape.kind !== "picture" && shape.fill === "ground";
  const texts = parts.flatMap((part) =>
    [...part.texts, ...part.textBoxes].map((text) => textInSymbol("body", text, transform)),
  );
  const { a, c } = transform;
  const turnOfSymbol = (Math.atan2(-c, a) * 180) / Math.PI;
  return [
    ...shapes.filter(hasGround),
    ...shapes.filter((shape) => !hasGround(shape)),
    ...texts,
    ...pins.flatMap((pin) => drawPin(pin, library, (angle) => spinOf(angle + turnOfSymbol))),
  ];
}

/** A symbol of a library as it would look on a sheet, without its fields. */
export function drawPlacement(library: LibrarySymbol, at: Point, angle: number): Primitive[] {
  const transform = symbolTransform(at, angle, undefined);
  const parts = partsOf(library, 1, 1);
  const pins = parts.flatMap((part) => part.pins.map((pin) => placePin(pin, undefined, transform)));
  return drawBody({ library, transform, parts, pins });
}

export function drawSymbol(symbol: PlacedSymbol, id: string, reference: string, wording: Wording): Drawn {
  const { library } = symbol;
  const fields = drawFields(symbol, reference, wording);
  if (!library) return drawn(id, { body: missing(symbol), fields, isSolid: true });
  const body = drawBody({ ...symbol, library });
  const crosses = symbol.doNotPopulate && body.length > 0 ? crossedOut(body) : [];
  return drawn(id, { body: [...body, ...crosses], fields, isSolid: true });
}
