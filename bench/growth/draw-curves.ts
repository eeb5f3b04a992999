import type { Curve } from "./curve.ts";

const SIZE = { width: 800, height: 380 } as const;
const AREA = { left: 62, right: 480, top: 40, bottom: 330 } as const;
const LINE_HEIGHT = 26;

/** Readable on white and on black; GitHub shows SVG files with the colours of the reader's choice. */
const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #24292f; }
  .title { font-weight: 600; font-size: 15px; }
  .quiet { fill: #57606a; }
  .grid { stroke: #d0d7de; }
  .guide { stroke: #57606a; stroke-dasharray: 5 4; fill: none; }
  .curve { fill: none; stroke-width: 2; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } .quiet { fill: #9198a1; } .grid { stroke: #3d444d; } .guide { stroke: #9198a1; }
  }`;
const COLOURS = ["#2f81f7", "#d9822b", "#2da44e", "#bf4b8a", "#8250df", "#c93c37", "#1b9aaa"];

/** Each cost as a multiple of what it is with the smallest size; both axes are logarithmic. */
export function drawCurves(title: string, things: string, curves: readonly Curve[]): string {
  const sizes = curves[0]?.points.map(({ size }) => size) ?? [];
  const [smallest = 1, largest = 10] = [sizes[0], sizes.at(-1)];
  const lines = curves.map(({ points }) =>
    points.map(({ size, cost }) => ({ size, times: cost / (points[0]?.cost ?? 1) })),
  );
  const times = lines.flat().map((point) => point.times);
  const low = 10 ** Math.floor(Math.log10(Math.min(...times, 0.99)));
  const high = 10 ** Math.ceil(Math.log10(Math.max(...times, largest / smallest)));
  const x = (size: number) => place(size, smallest, largest, AREA.left, AREA.right);
  const y = (value: number) => place(value, low, high, AREA.bottom, AREA.top);
  const path = (points: readonly { size: number; times: number }[]) =>
    points.map((point, at) => `${at === 0 ? "M" : "L"}${x(point.size)} ${y(point.times)}`).join(" ");
  const decades = Array.from({ length: Math.round(Math.log10(high / low)) + 1 }, (_, power) => low * 10 ** power);
  const guide = path([smallest, largest].map((size) => ({ size, times: size / smallest })));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE.width} ${SIZE.height}" role="img">`,
    `<title>${title}</title><style>${STYLE}\n</style>`,
    `<text class="title" x="${AREA.left}" y="20">${title}</text>`,
    ...decades.flatMap((value) => [
      `<path class="grid" d="M${AREA.left} ${y(value)}H${AREA.right}"/>`,
      `<text class="quiet" text-anchor="end" x="${AREA.left - 8}" y="${y(value) + 4}">${short(value)} ×</text>`,
    ]),
    ...sizes.map(
      (size) => `<text class="quiet" text-anchor="middle" x="${x(size)}" y="${AREA.bottom + 20}">${short(size)}</text>`,
    ),
    `<text class="quiet" text-anchor="middle" x="${(AREA.left + AREA.right) / 2}" y="${AREA.bottom + 40}">${things}</text>`,
    `<path class="guide" d="${guide}"/>`,
    ...lines.map((line, at) => `<path class="curve" stroke="${colour(at)}" d="${path(line)}"/>`),
    ...curves.map(({ name }, at) => legend(at, `class="curve" stroke="${colour(at)}"`, name)),
    legend(curves.length, 'class="guide"', "linear growth"),
    "</svg>",
    "",
  ].join("\n");
}

function legend(at: number, line: string, name: string): string {
  const top = AREA.top + 10 + at * LINE_HEIGHT;
  const left = AREA.right + 24;
  return `<path ${line} d="M${left} ${top}h22"/><text x="${left + 30}" y="${top + 4}">${name}</text>`;
}

const colour = (at: number): string => COLOURS[at % COLOURS.length] ?? "";

function place(value: number, from: number, to: number, start: number, end: number): number {
  return Math.round(start + ((end - start) * Math.log(value / from)) / Math.log(to / from));
}

const short = (value: number): string =>
  value >= 1_000_000
    ? `${value / 1_000_000}M`
    : value >= 1_000
      ? `${value / 1_000}k`
      : String(Number(value.toPrecision(1)) === value ? value : Number(value.toPrecision(2)));
