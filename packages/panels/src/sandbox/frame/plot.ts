import type { FrameWindow, Natives } from "./natives.ts";

type Point = readonly [x: number, y: number];
type PlotSeries = { name: string; points: readonly Point[] };
type PlotOptions = { title?: unknown; x?: unknown; xLabel?: unknown; yLabel?: unknown; kind?: unknown };
type Look = {
  title: string;
  xLabel: string;
  yLabel: string;
  kind: "line" | "points" | "bars";
  width: number;
  isDark: boolean;
};

/** The part of an element that is used. */
type Part = {
  clientWidth: number;
  isConnected: boolean;
  textContent: string | null;
  setAttribute(name: string, value: string): void;
  append(...children: Part[]): void;
  replaceChildren(...children: Part[]): void;
};
type MediaQuery = { matches: boolean; addEventListener(type: "change", listener: () => void): void };
type PlotDocument = { body: Part; createElementNS(space: string, name: string): Part };

/** Numbers, points or both, by name. What is not a number is a gap. */
export function readPlotSeries(data: unknown, xs: unknown): PlotSeries[] {
  const MAX_SERIES = 8;
  const isList = (value: unknown): value is ArrayLike<unknown> =>
    Array.isArray(value) || (ArrayBuffer.isView(value) && "length" in value);
  const refuse = (): never => {
    throw new TypeError(
      "plot: give an array of numbers, an array of [x, y] points, or an object of such arrays, as in " +
        "plot({ volts: [3, 1, 4] }).",
    );
  };
  const numberOf = (value: unknown): number =>
    value === null || value === undefined || value === "" ? Number.NaN : Number(value);
  const pointOf = (value: unknown, at: number): Point => {
    if (!isList(value)) return [isList(xs) ? numberOf(xs[at]) : at, numberOf(value)];
    return value.length === 2 ? [numberOf(value[0]), numberOf(value[1])] : refuse();
  };
  const seriesOf = (name: string, list: unknown): PlotSeries =>
    isList(list) ? { name, points: Array.from(list, pointOf) } : refuse();

  if (isList(data)) return [seriesOf("", data)];
  const named = typeof data === "object" && data !== null ? Object.entries(data) : [];
  if (named.length === 0) refuse();
  if (named.length > MAX_SERIES) {
    throw new TypeError(`plot: one plot has at most ${MAX_SERIES} lines. Draw the others with another title.`);
  }
  return named.map(([name, list]) => seriesOf(name, list));
}

/** 1, 2 or 5 times a power of ten. */
export function plotStep(low: number, high: number, wanted: number): number {
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const times = [1, 2, 5].find((each) => each * power >= rough) ?? 10;
  return times * power;
}

/** The lowest and the highest point of each column of pixels, so that no spike is lost. Gaps stay. */
export function thinPlotPoints(points: readonly Point[], columnOf: (x: number) => number): readonly Point[] {
  const kept: Point[] = [];
  let [low, high, column]: [Point | undefined, Point | undefined, number | undefined] = [
    undefined,
    undefined,
    undefined,
  ];
  const flush = (): void => {
    if (low && high) kept.push(...(low === high ? [low] : low[0] < high[0] ? [low, high] : [high, low]));
    [low, high] = [undefined, undefined];
  };
  for (const point of points) {
    const isGap = !(Number.isFinite(point[0]) && Number.isFinite(point[1]));
    const next = isGap ? undefined : columnOf(point[0]);
    if (next !== column) flush();
    column = next;
    if (isGap) kept.push(point);
    else {
      if (!low || point[1] < low[1]) low = point;
      if (!high || point[1] > high[1]) high = point;
    }
  }
  flush();
  return kept;
}

/** Where values are in the picture, and the ticks of both axes. */
export function plotScales(
  series: readonly PlotSeries[],
  { kind, width, xLabel = "" }: Pick<Look, "kind" | "width"> & Partial<Pick<Look, "xLabel">>,
) {
  /** Below the picture: the numbers of the x axis, and its label if it has one. */
  const below = xLabel === "" ? 24 : 40;
  const height = Math.round(Math.min(360, Math.max(180, width * 0.5))) - 24 + below;
  const isBars = kind === "bars";
  const all = series.flatMap(({ points }) => points.filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y)));
  /** Not `Math.min(...)`, which fails for very many. */
  const range = (values: readonly number[]): [low: number, high: number] => {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const value of values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    return low > high ? [0, 1] : [low, high];
  };
  const widen = ([low, high]: [number, number], by: number): [number, number] =>
    low < high || by > 0 ? [low - by, high + by] : [low - (Math.abs(low) || 1) / 10, high + (Math.abs(high) || 1) / 10];
  const xs = range(all.map(([x]) => x));
  const longest = Math.max(1, ...series.map(({ points }) => points.length));
  const gap = (xs[1] - xs[0]) / Math.max(1, longest - 1) || 1;
  const [xLow, xHigh] = widen(xs, isBars ? gap / 2 : 0);
  const ys = range([...all.map(([, y]) => y), ...(isBars ? [0] : [])]);
  const [low, high] = widen(ys, 0);
  const [xStep, yStep] = [plotStep(xLow, xHigh, Math.max(2, width / 100)), plotStep(low, high, 5)];
  const [yLow, yHigh] = [Math.floor(low / yStep + 1e-9) * yStep, Math.ceil(high / yStep - 1e-9) * yStep];
  const ticks = (from: number, to: number, step: number): number[] => {
    const first = Math.ceil(from / step - 1e-9);
    const count = Math.floor(to / step + 1e-9) - first + 1;
    return Array.from({ length: Math.max(0, Math.min(50, count)) }, (_, at) => (first + at) * step);
  };
  const yTicks = ticks(yLow, yHigh, yStep);
  const short = (value: number): string => String(Number(value.toPrecision(6))).replace("-", "−");
  const left = Math.max(...yTicks.map((tick) => short(tick).length), 1) * 7 + 10;
  const box = { left, right: width - 12, top: 18, bottom: height - below };
  return {
    ...{ height, box, yTicks, short, zero: Math.min(Math.max(0, yLow), yHigh), xTicks: ticks(xLow, xHigh, xStep) },
    barWidth: ((box.right - box.left) * gap * 0.8) / (xHigh - xLow) / series.length,
    x: (value: number): number => box.left + ((value - xLow) / (xHigh - xLow)) * (box.right - box.left),
    y: (value: number): number => box.bottom - ((value - yLow) / (yHigh - yLow)) * (box.bottom - box.top),
  };
}

/** The shape of one series, as the `d` of a path. */
export function plotShape(
  points: readonly Point[],
  kind: Look["kind"],
  { x, y, box, zero, barWidth }: ReturnType<typeof plotScales>,
  [at, count]: readonly [at: number, count: number],
): string {
  const isDense = points.length > 2 * (box.right - box.left);
  const shown = kind === "line" && isDense ? thinPlotPoints(points, (value) => Math.round(x(value))) : points;
  let isDrawing = false;
  return shown
    .map(([px, py]) => {
      if (!(Number.isFinite(px) && Number.isFinite(py))) {
        isDrawing = false;
        return "";
      }
      const [cx, cy] = [x(px).toFixed(1), y(py).toFixed(1)];
      if (kind === "points") return `M${cx} ${cy}h0`;
      if (kind === "bars") {
        const left = (x(px) + (at - count / 2) * barWidth).toFixed(1);
        return `M${left} ${y(zero).toFixed(1)}V${cy}h${barWidth.toFixed(1)}V${y(zero).toFixed(1)}z`;
      }
      const piece = isDrawing ? `L${cx} ${cy}` : `M${cx} ${cy}h0`;
      isDrawing = true;
      return piece;
    })
    .join("");
}

/** The parts of a plot: title, legend, picture. Colours and dashes are those of plots everywhere in the product. */
export function drawPlot(document: PlotDocument, series: readonly PlotSeries[], look: Look): Part[] {
  // Not light-dark(): screenshots are drawn from a copy of these elements, whose colour scheme may be another one.
  const COLOURS = look.isDark
    ? ["#e59a62", "#5cc0cc", "#b3a4ee", "#d873bb", "#bfec7c", "#7488e6", "#b08a4e", "#a9eef2"]
    : ["#93470f", "#0b6e7a", "#5b4a94", "#7d1f5c", "#7c9600", "#1d3a7a", "#b26204", "#3d8bb0"];
  const [TEXT, MUTED, LINE] = look.isDark ? ["#e8ebee", "#a3adb8", "#2c333b"] : ["#161a1f", "#515a64", "#d9dde1"];
  const DASHES = ["none", "none", "6 3", "1 3", "none", "none", "6 3", "1 3"];
  const FONT = "display:block;overflow:visible;font:11px ui-monospace,Menlo,Consolas,monospace";
  const [HTML, SVG] = ["http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg"] as const;
  const { title, xLabel, yLabel, kind, width } = look;
  const scales = plotScales(series, look);
  const { height, box, x, y, short } = scales;

  type Attributes = Record<string, string | number>;
  const make = (space: string, name: string, attributes: Attributes, content: string | Part[] = []): Part => {
    const part = document.createElementNS(space, name);
    for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, String(value));
    if (typeof content === "string") part.textContent = content;
    else part.append(...content);
    return part;
  };
  const label = (text: string, atX: number, atY: number, anchor: string): Part[] => {
    const attributes = { x: atX.toFixed(1), y: atY.toFixed(1), "text-anchor": anchor, style: `fill:${MUTED}` };
    return text === "" ? [] : [make(SVG, "text", attributes, text)];
  };
  const lookOf = (at: number): string => {
    const dash = kind === "line" ? DASHES[at] : "none";
    const ends = dash === "none" ? "round" : "butt";
    const stroke = `stroke:${COLOURS[at]};stroke-width:${kind === "points" ? 5 : 1.5};stroke-dasharray:${dash}`;
    return `fill:${kind === "bars" ? COLOURS[at] : "none"};stroke-linejoin:round;stroke-linecap:${ends};${stroke}`;
  };
  const inWords = ({ name, points }: PlotSeries): string => {
    const known = points.filter(([, value]) => Number.isFinite(value));
    const last = known.at(-1);
    const count = `${known.length} ${known.length === 1 ? "value" : "values"}`;
    return `${name === "" ? "" : `${name}: `}${count}${last ? `, the last is ${short(last[1])}` : ""}`;
  };

  const grid = [
    ...scales.yTicks.map((tick) => `M${box.left} ${y(tick).toFixed(1)}H${box.right}`),
    ...scales.xTicks.map((tick) => `M${x(tick).toFixed(1)} ${box.top}V${box.bottom}`),
  ].join("");
  const text = [title, ...series.map(inWords)].filter((each) => each !== "").join(". ");
  const picture = make(SVG, "svg", { width, height, role: "img", "aria-label": text, style: FONT }, [
    make(SVG, "path", { d: grid, style: `fill:none;stroke:${LINE};shape-rendering:crispEdges` }),
    ...scales.yTicks.flatMap((tick) => label(short(tick), box.left - 6, y(tick) + 4, "end")),
    ...scales.xTicks.flatMap((tick) => label(short(tick), x(tick), box.bottom + 16, "middle")),
    ...label(yLabel, box.left + 4, 12, "start"),
    ...label(xLabel, box.right, box.bottom + 32, "end"),
    ...series.map(({ points }, at) =>
      make(SVG, "path", { d: plotShape(points, kind, scales, [at, series.length]), style: lookOf(at) }),
    ),
  ]);
  const legend = series.map(({ name }, at) => {
    const sample = make(SVG, "path", { d: "M1 3h16", style: lookOf(at) });
    return make(HTML, "span", { style: "display:inline-flex;align-items:center;gap:6px" }, [
      make(SVG, "svg", { width: 18, height: 6, "aria-hidden": "true" }, [sample]),
      make(HTML, "span", {}, name),
    ]);
  });
  const isNamed = series.some(({ name }) => name !== "");
  return [
    ...(title === "" ? [] : [make(HTML, "figcaption", { style: `color:${TEXT};font-weight:600` }, title)]),
    ...(isNamed
      ? [make(HTML, "div", { style: `color:${TEXT};display:flex;flex-wrap:wrap;gap:2px 16px` }, legend)]
      : []),
    picture,
  ];
}

/**
 * The global `plot(data, options?)`. It is for the code in the frame and made of what that code has itself: no port, no
 * kept native. Code that declares a `plot` of its own gets its own.
 */
export function createPlot(frame: FrameWindow, natives: Natives): void {
  const KINDS = ["line", "points", "bars"];
  const { document, ResizeObserver } = frame as unknown as {
    document: PlotDocument;
    ResizeObserver: new (onResize: () => void) => { observe(part: Part): void };
  };
  const dark = (frame as unknown as { matchMedia(query: string): MediaQuery }).matchMedia(
    "(prefers-color-scheme: dark)",
  );
  const plots = new Map<string, { figure: Part; draw: () => void }>();
  const textOf = (value: unknown): string => (value === undefined || value === null ? "" : String(value));

  function figureFor(title: string): Part {
    const found = plots.get(title)?.figure;
    if (found?.isConnected) return found;
    const figure = document.createElementNS("http://www.w3.org/1999/xhtml", "figure");
    figure.setAttribute("style", "margin:0 0 16px;font:13px/20px system-ui,sans-serif");
    document.body.append(figure);
    new ResizeObserver(() => plots.get(title)?.draw()).observe(figure);
    return figure;
  }

  function plot(data: unknown, options: PlotOptions = {}): void {
    const series = readPlotSeries(data, options.x);
    const kind = (options.kind ?? "line") as Look["kind"];
    if (!KINDS.includes(kind)) throw new TypeError(`plot: kind is "line", "points" or "bars".`);
    const title = textOf(options.title);
    const figure = figureFor(title);
    let drawn = "";
    const draw = (): void => {
      const [width, isDark] = [Math.max(200, Math.floor(figure.clientWidth)), dark.matches];
      if (drawn === `${width} ${isDark}`) return;
      drawn = `${width} ${isDark}`;
      const look = { title, kind, width, isDark, xLabel: textOf(options.xLabel), yLabel: textOf(options.yLabel) };
      figure.replaceChildren(...drawPlot(document, series, look));
    };
    plots.set(title, { figure, draw });
    draw();
  }
  dark.addEventListener("change", () => {
    for (const { draw } of plots.values()) draw();
  });
  natives.defineProperty(frame, "plot", { value: plot, writable: true, configurable: true });
}
