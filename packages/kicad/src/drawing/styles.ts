import type { Colour, Fill, Stroke } from "../schematic/shapes.ts";
import { type Dash, LINE_MM, type LineStyle, type Role } from "./primitives.ts";

export function cssColour(colour: Colour | undefined): string | undefined {
  if (colour === undefined) return undefined;
  const { red, green, blue, alpha } = colour;
  return `rgb(${red} ${green} ${blue} / ${alpha})`;
}

const DASHES: Readonly<Record<string, Dash>> = {
  ...{ dash: "dash", dot: "dot", dash_dot: "dash-dot", dash_dot_dot: "dash-dot" },
};

function fillOf(fill: Fill): LineStyle["fill"] {
  if (fill.type === "background") return "ground";
  if (fill.type === "outline") return "ink";
  const colour = cssColour(fill.colour);
  return colour === undefined || fill.type === "none" ? "none" : { colour };
}

const NO_FILL: Fill = { type: "none", colour: undefined };

/** How a stroke of the file looks. Where it leaves the width open, it is that of its kind. */
export function styleOf(role: Role, stroke: Stroke, defaultMm = LINE_MM, fill: Fill = NO_FILL): LineStyle {
  const width = stroke.widthMm > 0 ? stroke.widthMm : defaultMm;
  return { role, width, dash: DASHES[stroke.type] ?? "solid", fill: fillOf(fill), colour: cssColour(stroke.colour) };
}
