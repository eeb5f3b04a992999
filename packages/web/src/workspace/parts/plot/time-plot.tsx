import "./plot.css";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import type { PanelClock } from "../../devices/devices.ts";
import type { Marks } from "./paint.ts";
import { colourOf, dashOf } from "./palette.ts";
import { createPlot, type Plot, type PlotView } from "./plot-engine.ts";
import { type PlotCommand, plotCommand, withCursor, zoomed } from "./plot-keys.ts";
import type { Range } from "./range.ts";
import type { PlotLane, PlotSeries } from "./series.ts";
import { lastValue, nearestSample, recentValues } from "./statistics.ts";
import { digitsOf, numberWords, timeWords, withUnit } from "./words.ts";

export type TimePlotProps = {
  clock: PanelClock;
  /** What the plot shows, in a few words. */
  label: string;
  lanes: readonly PlotLane[];
  view: PlotView;
  marks: Marks;
  cursorMs: number | undefined;
  onCursor: (tMs: number | undefined) => void;
  onMarks: (marks: Marks) => void;
  /** Undefined: back to what is newest. */
  onZoom: (range: Range | undefined) => void;
  onPause: () => void;
  onToggle: (key: string, isAlone: boolean) => void;
};

/** Lines over time, for eyes, keys and screen readers. */
export function TimePlot(props: TimePlotProps) {
  const { label, lanes, cursorMs } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = usePlot(box, props);
  const [said, setSaid] = useState("");
  const textId = useId();

  function move(by: number, isLarge: boolean): void {
    const times = plot.current?.times();
    const track = lanes[0]?.series.find(({ isShown }) => isShown)?.track;
    if (!times || !track) return;
    const from = cursorMs ?? times[1];
    const stepped = isLarge ? from + (by * (times[1] - times[0])) / 10 : nextSampleMs(track, from, by);
    const to = Math.max(times[0], Math.min(times[1], stepped));
    plot.current?.moveCursor(to);
    props.onCursor(to);
    setSaid(`${timeWords(to, 2)}: ${valuesAt(lanes, to)}`);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const command = plotCommand(event.nativeEvent);
    if (!command) return;
    // Escape also belongs to the workspace: pressed twice, it stops what moves.
    if (command.do !== "clear") event.preventDefault();
    run(command);
  }

  function run(command: PlotCommand): void {
    const { marks } = props;
    const times = plot.current?.times();
    if (command.do === "move") move(command.by, command.isLarge);
    else if (command.do === "cursor" && cursorMs !== undefined)
      props.onMarks({ ...marks, cursors: withCursor(marks, command.place, cursorMs) });
    else if (command.do === "select" && marks.cursors.length === 2)
      props.onMarks({ ...marks, selection: [Math.min(...marks.cursors), Math.max(...marks.cursors)] });
    else if (command.do === "zoom-selection" && marks.selection) props.onZoom(marks.selection);
    else if (command.do === "clear") props.onMarks({ cursors: [], selection: undefined });
    else if ((command.do === "zoom-in" || command.do === "zoom-out") && times)
      props.onZoom(zoomed(times, cursorMs, command.do === "zoom-in"));
    else if (command.do === "zoom-reset") props.onZoom(undefined);
    else if (command.do === "fit") plot.current?.fit();
    else if (command.do === "pause") props.onPause();
    else if (command.do === "toggle") {
      const series = lanes.flatMap((lane) => lane.series)[command.series];
      if (series) props.onToggle(series.key, command.isAlone);
    }
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div
      className="plot"
      role="group"
      aria-roledescription="plot"
      aria-label={label}
      aria-describedby={textId}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it is read and moved in by keys
      tabIndex={0}
      onKeyDown={onKeyDown}
      onBlur={() => setSaid("")}
    >
      <div className="plot-lanes" ref={box} aria-hidden="true" />
      <p className="sr" id={textId}>
        Last values: {valuesAt(lanes, Number.POSITIVE_INFINITY)}. Arrow keys move a cursor; plus and minus zoom; space
        pauses.
      </p>
      <p className="sr" role="status">
        {said}
      </p>
    </div>
  );
}

function usePlot(box: React.RefObject<HTMLDivElement | null>, props: TimePlotProps) {
  const plot = useRef<Plot>(undefined);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    if (!box.current) return;
    const made = createPlot(box.current, {
      nowMs: () => latest.current.clock.nowMs(),
      onCursor: (tMs) => latest.current.onCursor(tMs),
      onSelect: (selection) => latest.current.onMarks({ ...latest.current.marks, selection }),
    });
    plot.current = made;
    return () => made.destroy();
  }, [box]);

  const { lanes, view, marks } = props;
  useEffect(() => plot.current?.show({ lanes, view, marks }), [lanes, view, marks]);
  return plot;
}

function nextSampleMs(track: PlotSeries["track"], fromMs: number, by: number): number {
  const nearest = nearestSample(track, fromMs);
  if (nearest === undefined) return fromMs;
  return track.timeAt(Math.max(track.first, Math.min(track.next - 1, nearest + by)));
}

const valuesAt = (lanes: readonly PlotLane[], tMs: number): string =>
  lanes
    .flatMap(({ unit, series }) => series.filter(({ isShown }) => isShown).map((each) => ({ unit, each })))
    .map(({ unit, each }) => `${each.label} ${withUnit(valueWords(each, tMs), unit)}`)
    .join(", ");

/** The value nearest to a time, with the digits of its sensor. */
export function valueWords({ track, read }: Pick<PlotSeries, "track" | "read">, tMs: number): string {
  const digits = digitsOf(recentValues(track, read));
  if (tMs === Number.POSITIVE_INFINITY) return numberWords(lastValue(track, read), digits);
  const sample = nearestSample(track, tMs);
  return sample === undefined ? "–" : numberWords(read(track, sample), digits);
}

/** The line of a series, as small as a word. */
export function Swatch({ slot }: { slot: number }) {
  return (
    <svg className="plot-swatch" viewBox="0 0 16 8" aria-hidden="true">
      <path
        d="M0 4h16"
        stroke={`var(--series-${colourOf(slot)})`}
        strokeWidth="2"
        strokeDasharray={dashOf(slot).join(" ")}
        fill="none"
      />
    </svg>
  );
}
