import type { Point } from "../schematic/geometry.ts";
import type { PlacedPin } from "../schematic/items.ts";
import type { LibrarySymbol } from "../schematic/library.ts";
import { circle, lineStyle, type Primitive, path, type Writing } from "./primitives.ts";
import { type Spin, textAlong, turned } from "./shapes.ts";

const STYLE = lineStyle("pin");
const MARK_MM = 0.635;
const GAP_MM = 0.25;
const NO_CONNECT_MM = 0.4;

/** From where it connects to the body. */
function spinOfPin({ at, inner, pin }: PlacedPin, toSheet: (angle: number) => Spin): Spin {
  if (at.x === inner.x && at.y === inner.y) return toSheet(pin.angle);
  if (at.y === inner.y) return inner.x > at.x ? 0 : 180;
  return inner.y < at.y ? 90 : 270;
}

function marks(pin: PlacedPin, spin: Spin): { lineEnd: Point; made: Primitive[] } {
  const place = (points: readonly [number, number][]) => turned(points, spin, pin.inner);
  const made: Primitive[] = [];
  let back = 0;
  const has = (...shapes: string[]) => shapes.includes(pin.shape);
  if (has("inverted", "inverted_clock")) {
    back = 2 * MARK_MM;
    const [center] = place([[-MARK_MM, 0]]);
    if (center) made.push(circle(center, MARK_MM, STYLE));
  }
  if (has("clock", "inverted_clock", "clock_low"))
    made.push(
      path(
        place([
          [0, -MARK_MM],
          [MARK_MM, 0],
          [0, MARK_MM],
        ]),
        STYLE,
      ),
    );
  if (has("input_low", "clock_low"))
    made.push(
      path(
        place([
          [0, 0],
          [-2 * MARK_MM, -2 * MARK_MM],
          [-2 * MARK_MM, 0],
        ]),
        STYLE,
      ),
    );
  if (has("output_low"))
    made.push(
      path(
        place([
          [0, -2 * MARK_MM],
          [-2 * MARK_MM, 0],
        ]),
        STYLE,
      ),
    );
  if (has("edge_clock_high")) {
    back = MARK_MM;
    made.push(
      path(
        place([
          [0, -MARK_MM],
          [-MARK_MM, 0],
          [0, MARK_MM],
        ]),
        STYLE,
        true,
      ),
    );
  }
  if (has("non_logic"))
    made.push(
      path(
        place([
          [-MARK_MM, -MARK_MM],
          [MARK_MM, MARK_MM],
        ]),
        STYLE,
      ),
      path(
        place([
          [-MARK_MM, MARK_MM],
          [MARK_MM, -MARK_MM],
        ]),
        STYLE,
      ),
    );
  const [lineEnd = pin.inner] = place([[-back, 0]]);
  return { lineEnd, made };
}

/** In the middle of the pin: above it, or on the left of one that stands; below or on the right with `isUnder`. */
function beside(pin: PlacedPin, words: string, size: number, spin: Spin, isUnder: boolean): Writing {
  const middle = { x: (pin.at.x + pin.inner.x) / 2, y: (pin.at.y + pin.inner.y) / 2 };
  const isTurned = spin === 90 || spin === 270;
  const gap = isUnder ? GAP_MM : -GAP_MM;
  return {
    ...{
      kind: "text",
      role: "pin-text",
      text: words,
      size,
      isTurned,
      across: "center",
      down: isUnder ? "top" : "bottom",
    },
    ...{ at: isTurned ? { x: middle.x + gap, y: middle.y } : { x: middle.x, y: middle.y + gap } },
    ...{ isBold: false, isItalic: false },
  };
}

function texts(pin: PlacedPin, spin: Spin, library: LibrarySymbol): Writing[] {
  const { nameHeightMm, numberHeightMm } = pin.pin;
  const made: Writing[] = [];
  const hasName = pin.name !== "~" && pin.name !== "" && !library.pinNamesHidden && nameHeightMm > 0;
  const isInside = library.pinNameOffsetMm > 0;
  if (hasName && isInside) {
    const [from] = turned([[library.pinNameOffsetMm, 0]], spin, pin.inner);
    if (from) made.push(textAlong(pin.name, from, spin, "center", { role: "pin-text", size: nameHeightMm }));
  } else if (hasName) made.push(beside(pin, pin.name, nameHeightMm, spin, false));
  if (!library.pinNumbersHidden && numberHeightMm > 0 && pin.number !== "")
    made.push(beside(pin, pin.number, numberHeightMm, spin, hasName && !isInside));
  return made;
}

export function drawPin(pin: PlacedPin, library: LibrarySymbol, toSheet: (angle: number) => Spin): Primitive[] {
  if (pin.hidden) return [];
  const spin = spinOfPin(pin, toSheet);
  const { lineEnd, made } = marks(pin, spin);
  const cross = (to: number) =>
    turned(
      [
        [-NO_CONNECT_MM, -to],
        [NO_CONNECT_MM, to],
      ],
      0,
      pin.at,
    );
  const nothing =
    pin.type === "no_connect" ? [path(cross(NO_CONNECT_MM), STYLE), path(cross(-NO_CONNECT_MM), STYLE)] : [];
  return [path([pin.at, lineEnd], STYLE), ...made, ...nothing, ...texts(pin, spin, library)];
}
