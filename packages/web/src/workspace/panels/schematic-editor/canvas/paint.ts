import { DASHES, EM, type LineStyle, layText, type Primitive, type Role, type Writing } from "@backplane/kicad/drawing";
import { type Palette, readPalette } from "../../../parts/plot/palette.ts";

/** Colours of the page by what is drawn. */
export type Inks = {
  ink(role: Role): string;
  ground: string;
  /** Of what somebody is doing now: selected, being drawn. */
  now: string;
  font: string;
  /** Everything in this one colour, also what has a colour of its own. */
  only?: string;
};

const NAMES: Readonly<Record<Role, string>> = {
  ...{ wire: "trace-2", bus: "trace-2", junction: "trace-2", "no-connect": "trace-2", body: "text", pin: "text" },
  ...{ "pin-text": "muted", reference: "text", value: "muted", field: "muted", label: "trace-3", sheet: "trace-3" },
  ...{ note: "muted", frame: "line-strong", missing: "danger" },
};

/** How a sheet looks in this part of the page. */
export function looksOf(host: HTMLElement): { inks: Inks; paper: string; grid: string } {
  const palette = readPalette(host);
  return { inks: inksOf(palette), paper: palette.colour("surface"), grid: palette.colour("line") };
}

function inksOf({ colour, font }: Palette): Inks {
  return {
    ink: (role) => colour(NAMES[role]),
    ground: colour("sunken"),
    now: colour("accent"),
    font: font.replace(/^\S+\s/, ""),
  };
}

/** Everything in the one colour of what is selected or highlighted. */
export const inOneColour = (inks: Inks, only: string): Inks => ({ ...inks, only });

const colourOf = ({ colour, role }: { colour?: string | undefined; role: Role }, inks: Inks): string =>
  inks.only ?? colour ?? inks.ink(role);

/** Where to paint: pixels of the canvas per mm, and the place of the sheet's origin on the canvas. */
export type View = { scale: number; originX: number; originY: number };

export type Brush = {
  context: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;
  inks: Inks;
  view: View;
  /** Lines are this much wider, for what is highlighted. */
  extraPx?: number;
  /** Pictures of the sheet, decoded. */
  picture?(base64: string): CanvasImageSource | undefined;
};

const MIN_LINE_PX = 1;
/** Smaller text is drawn as a line: nobody could read it. */
const MIN_TEXT_PX = 3.2;

/** Lines of one look are stroked together, which is most of the speed. */
export function paint(primitives: Iterable<Primitive>, brush: Brush): void {
  const { context, inks, view } = brush;
  const { scale, originX, originY } = view;
  const x = (mm: number) => originX + mm * scale;
  const y = (mm: number) => originY + mm * scale;
  let open: LineStyle | undefined;

  const isSame = (a: LineStyle, b: LineStyle) =>
    a.role === b.role && a.width === b.width && a.dash === b.dash && a.colour === b.colour && b.fill === "none";
  const finish = () => {
    if (open) context.stroke();
    open = undefined;
  };
  const begin = (style: LineStyle) => {
    if (open && open.fill === "none" && isSame(open, style)) return;
    finish();
    open = style;
    const width = Math.max(style.width * scale, MIN_LINE_PX) + (brush.extraPx ?? 0);
    context.strokeStyle = colourOf(style, inks);
    context.lineWidth = width;
    context.setLineDash(DASHES[style.dash].map((part) => part * width));
    context.beginPath();
  };
  const fillIn = (style: LineStyle) => {
    if (style.fill === "none") return;
    const own = colourOf(style, inks);
    context.fillStyle = style.fill === "ground" ? inks.ground : style.fill === "ink" ? own : style.fill.colour;
    context.fill();
    finish();
  };

  context.lineCap = "round";
  context.lineJoin = "round";
  for (const each of primitives) {
    if (each.kind === "path") {
      begin(each);
      for (const [at, point] of each.points.entries())
        if (at === 0) context.moveTo(x(point.x), y(point.y));
        else context.lineTo(x(point.x), y(point.y));
      if (each.isClosed) context.closePath();
      fillIn(each);
    } else if (each.kind === "arc") {
      begin(each);
      const [cx, cy, radius] = [x(each.center.x), y(each.center.y), each.radius * scale];
      context.moveTo(cx + radius * Math.cos(each.from), cy + radius * Math.sin(each.from));
      context.arc(cx, cy, radius, each.from, each.to);
      fillIn(each);
    } else {
      finish();
      if (each.kind === "text") paintText(each, brush);
      else {
        const picture = brush.picture?.(each.base64);
        const [left, top] = [x(each.at.x - each.width / 2), y(each.at.y - each.height / 2)];
        if (picture) context.drawImage(picture, left, top, each.width * scale, each.height * scale);
      }
    }
  }
  finish();
}

function paintText(text: Writing, { context, inks, view: { scale, originX, originY } }: Brush): void {
  const { runs, bars, box } = layText(text);
  const ink = colourOf(text, inks);
  context.save();
  context.translate(originX + text.at.x * scale, originY + text.at.y * scale);
  if (text.isTurned) context.rotate(-Math.PI / 2);
  context.fillStyle = ink;
  if (text.size * scale < MIN_TEXT_PX) {
    context.globalAlpha = 0.5;
    const middle = ((box.top + box.bottom) / 2) * scale;
    context.fillRect(box.left * scale, middle - 0.5, (box.right - box.left) * scale, 1);
  } else {
    context.textRendering = "geometricPrecision";
    context.textBaseline = "alphabetic";
    const look = `${text.isItalic ? "italic " : ""}${text.isBold ? "bold " : ""}`;
    for (const run of runs) {
      context.font = `${look}${(run.size * EM * scale).toFixed(2)}px ${inks.font}`;
      context.fillText(run.text, run.x * scale, run.y * scale);
    }
    for (const bar of bars)
      context.fillRect(bar.from * scale, bar.y * scale, (bar.to - bar.from) * scale, Math.max(1, 0.15 * scale));
  }
  context.restore();
}
