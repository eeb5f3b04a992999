import uPlot from "uplot";
import { type Band, drawBand } from "./draw-band.ts";
import { drawAbove, drawGround } from "./draw-lane.ts";
import { type Buckets, createEnvelope, type Envelope, type Gap, gapAfterMs } from "./envelope.ts";
import { createLimitHandles } from "./limit-handles.ts";
import { type Marks, paint, withAlpha } from "./paint.ts";
import { dashOf, type Palette, SERIES_COLOURS } from "./palette.ts";
import { createRange, type Range, tickStep, ticksOf, timeTicks } from "./range.ts";
import type { PlotLane, PlotSeries } from "./series.ts";
import { numberWords, tickWords } from "./words.ts";

/** The times that a plot shows, in whole columns. */
export type Frame = { from: number; to: number; columnMs: number; nowMs: number };

const Y_AXIS_PX = 52;
const X_AXIS_PX = 22;
const NAMES_PX = 78;
const EDGE_PX = 12;
const TOP_PX = 8;
const TICK_PX = 34;
const MIN_TICKS = 3;
/** Columns before the first one that is shown: a line comes in from the left. */
const BEFORE = 64;
const LABEL_PX = 20;
const BAND_ALPHA = 0.28;
const LINE_PX = 1.5;
/** In a band. Browsers draw lines of one pixel several times as fast, and lines in a band have the most corners. */
const LINE_IN_BAND_PX = 1;
const DOT_EVERY_PX = 40;

export type LanePlot = {
  readonly uplot: uPlot;
  /** Y range as drawn. */
  range(): Range;
  gaps(): readonly Gap[];
  draw(frame: Frame): void;
  setSize(width: number, height: number): void;
  fit(): void;
  destroy(): void;
};

type Options = {
  /** The lane as it is now: its series stay the same, what is said of them changes. */
  lane: () => PlotLane;
  element: HTMLElement;
  palette: Palette;
  isLast: boolean;
  width: number;
  height: number;
  frame: Frame;
  syncKey: string;
  marks: () => Marks;
  onCursor: (uplot: uPlot) => void;
  onSelect: (range: Range | undefined) => void;
};

export const chartWidth = (width: number, lanes: readonly PlotLane[]): number =>
  Math.max(
    1,
    Math.floor(width - Y_AXIS_PX - (lanes.some(({ hasNames }) => hasNames) && width >= 560 ? NAMES_PX : EDGE_PX)),
  );

export function createLane(options: Options): LanePlot {
  const { palette, width } = options;
  const lane = () => options.lane();
  let { frame } = options;
  let follow = createRange(lane().minSpan);
  let range: Range = [0, 1];
  let envelopes: Envelope[] = [];
  let histories: (Buckets | undefined)[] = [];
  /** By place of their series. */
  let bands = new Map<number, Band>();
  /** Since this column, envelopes have everything. */
  let covered: Pick<Frame, "from" | "columnMs"> | undefined;
  const hasNames = lane().hasNames === true && width >= 560;
  const handles = createLimitHandles(() => lane().limits ?? []);
  const drawn = (): PlotLane => ({ ...lane(), limits: handles.limits() });

  /** Envelopes go on while columns are as wide as before and time goes forward. */
  function prepare(): void {
    const isSame = covered?.columnMs === frame.columnMs && envelopes.length === lane().series.length;
    if (isSame && covered && frame.from >= covered.from) {
      // Envelopes keep as many columns before those that are shown.
      covered.from = Math.max(covered.from, 2 * frame.from - frame.to);
      for (const each of envelopes) each.update();
      addHistories();
      return;
    }
    covered = { columnMs: frame.columnMs, from: frame.from };
    const fromMs = (frame.from - BEFORE) * frame.columnMs;
    envelopes = lane().series.map(({ track, read, convert, isBroken }) =>
      createEnvelope(track, read, { columnMs: frame.columnMs, fromMs, convert, isBroken }),
    );
    histories = [];
    addHistories();
  }

  function addHistories(): void {
    for (const [place, { history }] of lane().series.entries()) {
      if (history === histories[place] || !history) continue;
      histories[place] = history;
      envelopes[place]?.prepend(history);
    }
  }

  function dataOf(): uPlot.AlignedData {
    prepare();
    const first = frame.from - BEFORE;
    const xs: number[] = [];
    for (let column = first; column < frame.to; column += 1) xs.push((column + 0.5) * frame.columnMs);
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    bands = new Map();
    const all = lane().series.map((series, place) => {
      const columns = envelopes[place]?.columns(first, frame.to);
      if (!columns || !series.isShown) return [];
      for (let i = BEFORE; i < columns.low.length; i += 1) {
        low = Math.min(low, columns.low[i] ?? low);
        high = Math.max(high, columns.high[i] ?? high);
      }
      drawOn(series, columns.mean);
      const colour = withAlpha(palette.series(series.slot), BAND_ALPHA);
      if (columns.isDense) bands.set(place, { low: columns.low, high: columns.high, times: xs, colour });
      return columns.mean;
    });
    const limits = (lane().limits ?? []).map(({ value }) => value);
    range = follow(low <= high ? [low, high] : undefined, limits, frame.nowMs);
    return [xs, ...all] as uPlot.AlignedData;
  }

  const uplot = new uPlot(
    {
      ...{
        width,
        height: options.height,
        ms: 1,
        legend: { show: false },
        padding: [TOP_PX, hasNames ? NAMES_PX : EDGE_PX, 0, 0],
      },
      scales: {
        x: { time: false, range: () => [frame.from * frame.columnMs, frame.to * frame.columnMs] },
        y: { range: () => [range[0], range[1]] },
      },
      axes: axesOf(options, () => range),
      series: [{}, ...lane().series.map((series) => seriesOf(series, palette))],
      cursor: {
        ...{ x: true, y: false, drag: { x: true, y: false, setScale: false }, points: pointsOf(lane(), palette) },
        hover: { skip: [undefined], prox: 48 },
        sync: { key: options.syncKey, setSeries: false, scales: ["x", null] },
      },
      hooks: {
        drawAxes: [
          (u) => {
            for (const [place, series] of u.series.slice(1).entries())
              series.width = bands.has(place) ? LINE_IN_BAND_PX : LINE_PX;
            paint(u, palette, (painter) => {
              drawGround(painter, drawn(), gapsOf(lane(), envelopes, frame));
              for (const band of bands.values()) drawBand(painter, band);
            });
          },
        ],
        draw: [
          (u) => paint(u, palette, (painter) => drawAbove(painter, drawn(), { marks: options.marks(), hasNames })),
          (u) => handles.place(u),
        ],
        setCursor: [options.onCursor],
        setSelect: [
          (u) => {
            const { left, width: wide } = u.select;
            if (wide > 2) options.onSelect([u.posToVal(left, "x"), u.posToVal(left + wide, "x")]);
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
      },
    },
    dataOf(),
    options.element,
  );

  return {
    uplot,
    range: () => range,
    gaps: () => gapsOf(lane(), envelopes, frame),
    draw(next) {
      frame = next;
      uplot.setData(dataOf());
    },
    setSize: (wide, high) => uplot.setSize({ width: wide, height: high }),
    fit() {
      follow = createRange(lane().minSpan);
    },
    destroy: () => uplot.destroy(),
  };
}

/** A value that has not changed is drawn on to the right edge, while its device is there. */
function drawOn({ track, read, isReady }: PlotSeries, mean: (number | null | undefined)[]): void {
  if (!isReady || track.next === track.first || track.periodMs() !== undefined) return;
  const last = read(track, track.next - 1);
  if (!Number.isNaN(last)) mean[mean.length - 1] ??= last;
}

function axesOf({ lane, palette, isLast }: Options, range: () => Range): uPlot.Axis[] {
  const look = {
    ...{ font: palette.font, stroke: palette.colour("muted"), ticks: { show: false } },
    grid: { stroke: palette.colour("line"), width: 1 },
    border: { show: true, stroke: palette.colour("line-strong"), width: 1 },
  };
  return [
    {
      ...look,
      size: isLast ? X_AXIS_PX : TOP_PX,
      gap: 5,
      splits: (u, _axis, fromMs, toMs) => timeTicks([fromMs, toMs], Math.min(12, u.width / 92)),
      // A label that the edge would cut is left out.
      values: (u, splits) =>
        splits.map((t) =>
          isLast && u.valToPos(t, "x") < u.bbox.width / devicePixelRatio - LABEL_PX ? tickWords(t, spanOf(splits)) : "",
        ),
    },
    {
      ...look,
      size: Y_AXIS_PX,
      gap: 5,
      splits: (u) => ticksOf(range(), tickStep(range()[1] - range()[0], Math.max(MIN_TICKS, u.height / TICK_PX))),
      values: (_u, splits) => {
        const step = (splits[1] ?? 1) - (splits[0] ?? 0);
        const digits = Math.max(0, Math.min(6, Math.ceil(-Math.log10(Math.abs(step) || 1) - 1e-9)));
        return splits.map((value) => numberWords(value, digits, { thousands: lane().thousands ?? true }));
      },
    },
  ];
}

const spanOf = (splits: readonly number[]): number => (splits.at(-1) ?? 0) - (splits[0] ?? 0);

/** A dot on each line where the cursor is. */
function pointsOf({ series }: PlotLane, palette: Palette): uPlot.Cursor.Points {
  const slotOf = (place: number) => series[place - 1]?.slot ?? 1;
  return {
    ...{ size: 9, width: 1.5 },
    fill: (_u, place) => palette.series(slotOf(place)),
    stroke: () => palette.colour("surface"),
  };
}

/** The line of means. */
function seriesOf({ slot }: PlotSeries, palette: Palette): uPlot.Series {
  const isDotted = slot > SERIES_COLOURS;
  const points = isDotted
    ? { show: true, size: 5, fill: palette.series(slot), filter: everySoManyPx(DOT_EVERY_PX) }
    : { show: false };
  return { stroke: palette.series(slot), width: LINE_PX, dash: dashOf(slot), points };
}

const everySoManyPx =
  (px: number): uPlot.Series.Points.Filter =>
  (u, seriesIdx, show) => {
    if (!show) return [];
    const values = u.data[seriesIdx] ?? [];
    const kept: number[] = [];
    let lastPx = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < values.length; i += 1) {
      const at = u.valToPos(u.data[0][i] ?? 0, "x");
      if (values[i] == null || at - lastPx < px) continue;
      kept.push(i);
      lastPx = at;
    }
    return kept;
  };

/** Times without data in every series that is shown, and the time since the last sample of devices that are gone. */
function gapsOf({ series }: PlotLane, envelopes: readonly Envelope[], { nowMs, from, columnMs }: Frame): Gap[] {
  const shown = series.map((each, place) => ({ each, envelope: envelopes[place] })).filter(({ each }) => each.isShown);
  const all = shown.map(({ each: { track, isReady }, envelope }) => {
    const own = [...(envelope?.gaps ?? [])];
    const lastMs = track.next > track.first ? track.timeAt(track.next - 1) : undefined;
    const isMissing = lastMs !== undefined && nowMs - lastMs > Math.min(gapAfterMs(track.periodMs()), 2_000);
    if (lastMs !== undefined && isMissing && (!isReady || track.periodMs() !== undefined)) own.push([lastMs, nowMs]);
    return own;
  });
  const [first = [], ...others] = all;
  const common = others.reduce((left, right) => left.flatMap((a) => right.flatMap((b) => overlapOf(a, b))), first);
  return common.filter(([, toMs]) => toMs > from * columnMs);
}

const overlapOf = ([a, b]: Gap, [c, d]: Gap): Gap[] =>
  Math.max(a, c) < Math.min(b, d) ? [[Math.max(a, c), Math.min(b, d)]] : [];
