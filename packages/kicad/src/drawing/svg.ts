import type { Arc, Box, LineStyle, Primitive, Role, Writing } from "./primitives.ts";
import { EM, layText } from "./text.ts";

/** Colours of the printed sheet. */
const INK: Readonly<Record<Role, string>> = {
  ...{ wire: "#0b6e7a", bus: "#0b4a7a", junction: "#0b6e7a", "no-connect": "#0b6e7a", body: "#161a1f", pin: "#161a1f" },
  ...{ "pin-text": "#515a64", reference: "#161a1f", value: "#515a64", field: "#515a64", label: "#5b4a94" },
  ...{ sheet: "#5b4a94", note: "#515a64", frame: "#7f8892", missing: "#ad1f3c" },
};
const GROUND = "#f4f5f6";

const escaped = (text: string): string =>
  text.replace(/[<>&"]/g, (sign) => ({ "<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;" })[sign] ?? "");
const number = (value: number): string => String(Number(value.toFixed(4)));

/** Lengths of dashes and gaps, as multiples of the width of the line. */
export const DASHES: Readonly<Record<LineStyle["dash"], readonly number[]>> = {
  ...{ solid: [], dash: [8, 4], dot: [1.5, 3], "dash-dot": [8, 3, 1.5, 3] },
};

function styleOf({ role, width, dash, fill, colour }: LineStyle): string {
  const ink = colour ?? INK[role];
  const inside = fill === "none" ? "none" : fill === "ground" ? GROUND : fill === "ink" ? ink : fill.colour;
  const dashes = DASHES[dash].map((part) => number(part * width)).join(" ");
  return `fill="${escaped(inside)}" stroke="${escaped(ink)}" stroke-width="${number(width)}"${dashes === "" ? "" : ` stroke-dasharray="${dashes}"`}`;
}

function arcElement(arc: Arc): string {
  const { center, radius, from, to } = arc;
  const style = styleOf(arc);
  if (to - from >= 2 * Math.PI - 1e-6)
    return `<circle cx="${number(center.x)}" cy="${number(center.y)}" r="${number(radius)}" ${style}/>`;
  const at = (angle: number) =>
    `${number(center.x + radius * Math.cos(angle))} ${number(center.y + radius * Math.sin(angle))}`;
  const isLarge = to - from > Math.PI ? 1 : 0;
  return `<path d="M${at(from)}A${number(radius)} ${number(radius)} 0 ${isLarge} 1 ${at(to)}" ${style}/>`;
}

function textElement(text: Writing): string {
  const { runs, bars } = layText(text);
  const ink = escaped(text.colour ?? INK[text.role]);
  const look = `${text.isBold ? ' font-weight="bold"' : ""}${text.isItalic ? ' font-style="italic"' : ""}`;
  const inside = [
    ...runs.map(
      ({ text: words, x, y, size }) =>
        `<text x="${number(x)}" y="${number(y)}" font-size="${number(size * EM)}" fill="${ink}"${look}>${escaped(words)}</text>`,
    ),
    ...bars.map(
      ({ from, to, y }) =>
        `<path d="M${number(from)} ${number(y)}H${number(to)}" stroke="${ink}" stroke-width="0.15"/>`,
    ),
  ].join("");
  const turn = text.isTurned ? " rotate(-90)" : "";
  return `<g transform="translate(${number(text.at.x)} ${number(text.at.y)})${turn}">${inside}</g>`;
}

function elementOf(primitive: Primitive): string {
  if (primitive.kind === "arc") return arcElement(primitive);
  if (primitive.kind === "text") return textElement(primitive);
  if (primitive.kind === "picture") {
    const { at, width, height, base64 } = primitive;
    return `<image x="${number(at.x - width / 2)}" y="${number(at.y - height / 2)}" width="${number(width)}" height="${number(height)}" href="data:image/png;base64,${escaped(base64)}"/>`;
  }
  const [first, ...rest] = primitive.points.map(({ x, y }) => `${number(x)} ${number(y)}`);
  const line = `M${first}${rest.map((point) => `L${point}`).join("")}${primitive.isClosed ? "Z" : ""}`;
  return `<path d="${line}" ${styleOf(primitive)}/>`;
}

/** A drawing as an SVG file, in millimetres. */
export function toSvg(primitives: readonly Primitive[], { left, top, right, bottom }: Box, title: string): string {
  const [width, height] = [number(right - left), number(bottom - top)];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}mm" height="${height}mm" viewBox="${number(left)} ${number(top)} ${width} ${height}"`,
    ` font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" stroke-linecap="round" stroke-linejoin="round">`,
    `<title>${escaped(title)}</title><rect x="${number(left)}" y="${number(top)}" width="${width}" height="${height}" fill="#fff"/>`,
    ...primitives.map(elementOf),
    "</svg>\n",
  ].join("");
}
