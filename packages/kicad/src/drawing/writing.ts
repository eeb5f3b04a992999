import { type Point, type Transform, transformPoint } from "../schematic/geometry.ts";
import type { Text } from "../schematic/shapes.ts";
import type { Across, Down, Role, Writing } from "./primitives.ts";
import { type Spin, spinOf } from "./shapes.ts";
import { cssColour } from "./styles.ts";

const FLIPPED = { left: "right", center: "center", right: "left", top: "bottom", bottom: "top" } as const;

const lookOf = ({ effects }: Text): Pick<Writing, "size" | "isBold" | "isItalic" | "colour"> => ({
  ...{ size: effects.heightMm, isBold: effects.bold, isItalic: effects.italic, colour: cssColour(effects.colour) },
});

/** A text of the sheet. Whatever its angle, it is never upside down. */
export function writing(role: Role, text: Text, words = text.text): Writing {
  const spin = spinOf(text.angle);
  return {
    ...placed(text, spin, spin === 180 || spin === 270, false),
    role,
    at: text.at,
    text: words,
    ...lookOf(text),
  };
}

/**
 * A text that belongs to a symbol turns with it, and its anchor may come to the other end by that. The place of a field is
 * one of the sheet, that of other texts one of the symbol.
 */
export function symbolWriting(role: Role, text: Text, words: string, transform: Transform, at: Point): Writing {
  const { a, b, c, d } = transform;
  // Symbol libraries have angles in tenths of a degree.
  const isUpwards = spinOf(text.angle >= 900 ? text.angle / 10 : text.angle) % 180 !== 0;
  const [right, up] = isUpwards
    ? [
        { x: b, y: d },
        { x: -a, y: -c },
      ]
    : [
        { x: a, y: c },
        { x: b, y: d },
      ];
  const isTurned = Math.abs(right.y) > Math.abs(right.x);
  const [isBack, isOver] = isTurned ? [right.y > 0, up.x > 0] : [right.x < 0, up.y > 0];
  return { ...placed(text, isTurned ? 90 : 0, isBack, isOver), role, at, text: words, ...lookOf(text) };
}

export const textInSymbol = (role: Role, text: Text, transform: Transform): Writing =>
  symbolWriting(role, text, text.text, transform, transformPoint(transform, text.at));

function placed({ effects }: Text, spin: Spin, isBack: boolean, isOver: boolean) {
  const across: Across = isBack ? FLIPPED[effects.horizontal] : effects.horizontal;
  const down: Down = isOver ? FLIPPED[effects.vertical] : effects.vertical;
  return { kind: "text", isTurned: spin === 90 || spin === 270, across, down } as const;
}
