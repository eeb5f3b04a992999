import type uPlot from "uplot";
import { pageBeat } from "../beat.ts";
import { watchSeen } from "../drawing/seen.ts";
import { chartWidth, createLane, type Frame, type LanePlot } from "./lane.ts";
import type { Marks } from "./paint.ts";
import { onTheme, type Palette, readPalette } from "./palette.ts";
import type { Range } from "./range.ts";
import type { PlotLane } from "./series.ts";
import { timeWords } from "./words.ts";

/** A plot is drawn at most this often. */
const MIN_FRAME_MS = 33;

/** Which times are shown: the last `windowMs`, or a fixed range. */
export type PlotView = { windowMs: number; range: Range | undefined };

export type PlotContent = { lanes: readonly PlotLane[]; view: PlotView; marks: Marks };

type Events = {
  nowMs(): number;
  /** Undefined: the pointer has left. */
  onCursor(tMs: number | undefined): void;
  onSelect(range: Range | undefined): void;
};

export type Plot = {
  show(content: PlotContent): void;
  /** The times that are shown now. */
  times(): Range;
  gaps(): readonly Range[];
  moveCursor(tMs: number): void;
  /** Fits the y axes to what is shown. */
  fit(): void;
  destroy(): void;
};

let plots = 0;

/** Lanes on one time axis. It draws when a pixel column changed, not for every sample. */
export function createPlot(element: HTMLElement, { nowMs, onCursor, onSelect }: Events): Plot {
  plots += 1;
  const syncKey = `plot-${plots}`;
  let content: PlotContent | undefined;
  let lanes: LanePlot[] = [];
  let shape = "";
  let palette: Palette = readPalette(element);
  let width = 0;
  let height = 0;
  let drawn: Frame | undefined;
  let isDirty = true;
  const { isSeen, stop: stopWatching } = watchSeen(element);
  const tag = document.createElement("output");
  tag.className = "plot-tag";
  tag.hidden = true;

  const stopBeat = pageBeat.add({}, MIN_FRAME_MS, draw);
  const observer = new ResizeObserver(() => {
    width = element.clientWidth;
    height = element.clientHeight;
    wake();
  });
  observer.observe(element);
  const stopTheme = onTheme(() => {
    palette = readPalette(element);
    shape = "";
    wake();
  });

  function frameOf({ view, lanes: wanted }: PlotContent): Frame {
    const columns = chartWidth(width, wanted);
    const now = nowMs();
    const [fromMs, toMs] = view.range ?? [now - view.windowMs, now];
    const columnMs = (toMs - fromMs) / columns;
    const to = Math.ceil(toMs / columnMs);
    return { from: to - columns, to, columnMs, nowMs: view.range ? Math.min(now, toMs) : now };
  }

  function heights({ lanes: wanted }: PlotContent): number[] {
    const extra = 14;
    const total = wanted.reduce((sum, { weight = 1 }) => sum + weight, 0);
    return wanted.map(({ weight = 1 }, place) => {
      const share = ((height - extra) * weight) / total;
      return Math.max(48, Math.floor(share + (place === wanted.length - 1 ? extra : 0)));
    });
  }

  function build(now: PlotContent, frame: Frame): void {
    for (const lane of lanes) lane.destroy();
    element.replaceChildren(tag);
    const all = heights(now);
    lanes = now.lanes.map((_, place) =>
      createLane({
        ...{ element, palette, width, frame, syncKey, onSelect },
        lane: () => content?.lanes[place] as PlotLane,
        isLast: place === now.lanes.length - 1,
        height: all[place] ?? 48,
        marks: () => content?.marks ?? { cursors: [], selection: undefined },
        onCursor: place === now.lanes.length - 1 ? tell : () => {},
      }),
    );
  }

  function tell(uplot: uPlot): void {
    const { left = -1 } = uplot.cursor;
    tag.hidden = left < 0;
    if (left < 0 || !drawn) {
      onCursor(undefined);
      return;
    }
    const tMs = uplot.posToVal(left, "x");
    tag.textContent = timeWords(tMs, drawn.columnMs < 1_000 ? 2 : 0);
    const half = tag.offsetWidth / 2;
    const over = uplot.over.offsetLeft + uplot.root.offsetLeft;
    tag.style.left = `${Math.max(over + half, Math.min(width - half, over + left))}px`;
    onCursor(tMs);
  }

  function draw(): void {
    if (content && width > 40 && height > 40 && isSeen()) redraw(content);
  }

  function redraw(now: PlotContent): void {
    const frame = frameOf(now);
    const nextShape = isDirty ? shapeOf(now, width) : shape;
    if (nextShape !== shape) {
      shape = nextShape;
      build(now, frame);
    } else if (isDirty || frame.to !== drawn?.to || frame.columnMs !== drawn.columnMs || isLate(now)) {
      const all = heights(now);
      for (const [place, lane] of lanes.entries()) {
        if (lane.uplot.height !== all[place]) lane.setSize(width, all[place] ?? 48);
        lane.draw(frame);
      }
    }
    drawn = frame;
    isDirty = false;
    noted = revisionsOf(now);
  }

  /** Samples of a range that stands still have come, or came again. */
  let noted = 0;
  const isLate = (now: PlotContent): boolean => revisionsOf(now) !== noted;

  function wake(): void {
    isDirty = true;
  }

  return {
    show(next) {
      const isSame = content !== undefined && looksOf(content) === looksOf(next) && sameHistories(content, next);
      content = next;
      if (!isSame) wake();
    },
    times() {
      const frame = drawn ?? { from: 0, to: 1, columnMs: 1 };
      return [frame.from * frame.columnMs, frame.to * frame.columnMs];
    },
    gaps: () => lanes.flatMap((lane) => [...lane.gaps()]),
    moveCursor(tMs) {
      for (const { uplot } of lanes) uplot.setCursor({ left: uplot.valToPos(tMs, "x"), top: 0 }, true);
    },
    fit() {
      for (const lane of lanes) lane.fit();
      wake();
    },
    destroy() {
      stopBeat();
      stopWatching();
      observer.disconnect();
      stopTheme();
      for (const lane of lanes) lane.destroy();
    },
  };
}

/** What people see of it besides samples: panels say it again and again. */
const looksOf = ({ lanes, view, marks }: PlotContent): string =>
  JSON.stringify([
    ...[view, marks, lanes.map(({ limits }) => limits)],
    lanes.map(({ unit, series }) => [unit, series.map(({ key, isShown, isReady }) => [key, isShown, isReady])]),
  ]);

const historiesOf = ({ lanes }: PlotContent) => lanes.flatMap(({ series }) => series.map(({ history }) => history));

function sameHistories(before: PlotContent, after: PlotContent): boolean {
  const [a, b] = [historiesOf(before), historiesOf(after)];
  return a.length === b.length && a.every((each, place) => each === b[place]);
}

const revisionsOf = ({ lanes }: PlotContent): number =>
  lanes.reduce((sum, { series }) => sum + series.reduce((all, { track }) => all + track.revision, 0), 0);

/** What cannot be changed in a plot that exists. */
const shapeOf = ({ lanes }: PlotContent, width: number): string =>
  JSON.stringify([
    width,
    lanes.map(({ unit, weight, hasNames, series }) => [
      unit,
      weight,
      hasNames,
      series.map(({ key, slot }) => [key, slot]),
    ]),
  ]);
