import { Button } from "../../parts/button.tsx";
import { nearestSample, statisticsOf } from "../parts/plot/statistics.ts";
import { changeWords, durationWords, numberWords, timeWords } from "../parts/plot/words.ts";
import type { PanelSeries, PlotBody } from "./plot-panel.tsx";
import { type SeriesColumn, SeriesTable } from "./series-table.tsx";

type Column = SeriesColumn<PanelSeries>;

const value = ({ digits }: PanelSeries, number: number, more = 0): string => numberWords(number, digits + more);

const now = (each: PanelSeries): string =>
  value(each, each.track.next > each.track.first ? each.read(each.track, each.track.next - 1) : Number.NaN);

/** What was marked in a plot: the statistics of a selection, or the difference between two cursors. */
export function MarkedTimes({ series, controls, plot }: Pick<PlotBody, "series" | "controls" | "plot">) {
  const { selection, cursors } = controls.marks;
  const [first, second] = cursors;
  const isPair = first !== undefined && second !== undefined;
  if (!selection && !isPair) return null;
  const table = {
    ...{ series, first: "Series", onName: ({ key }: PanelSeries, isAlone: boolean) => plot.onToggle(key, isAlone) },
    unitOf: ({ unit }: PanelSeries) => unit,
    nameLabel: ({ label, isShown }: PanelSeries) => `${isShown ? "Hide" : "Show"} ${label}`,
  };
  if (selection) {
    return (
      <>
        <div className="plot-head">
          <span>Selected {durationWords(selection[1] - selection[0])}</span>
          <span className="grow" />
          <Button size="small" look="quiet" icon="search" onClick={() => controls.zoom(selection)}>
            Zoom to it
          </Button>
          <Button
            size="small"
            look="quiet"
            icon="close"
            onClick={() => controls.setMarks({ cursors, selection: undefined })}
          >
            Clear
          </Button>
        </div>
        <SeriesTable {...table} label="Statistics of the selection" columns={statisticsColumns(selection)} />
      </>
    );
  }
  return isPair ? (
    <>
      <div className="plot-head">
        <span>
          {timeWords(first, 3)} to {timeWords(second, 3)}
        </span>
        <span className="grow" />
        <span>Δt {numberWords((second - first) / 1_000, 3)} s</span>
      </div>
      <SeriesTable {...table} label="Values at the cursors" columns={cursorColumns(first, second)} />
    </>
  ) : null;
}

function statisticsColumns(range: readonly [number, number]): Column[] {
  const of = (each: PanelSeries) => statisticsOf(each.track, each.read, range);
  return [
    { head: "Min", cell: (each) => value(each, of(each).min) },
    { head: "Mean", cell: (each) => value(each, of(each).mean) },
    { head: "Max", cell: (each) => value(each, of(each).max) },
    { head: "σ", isWide: true, cell: (each) => value(each, of(each).deviation, 1) },
    { head: "Samples", isWide: true, cell: (each) => numberWords(of(each).count) },
    { head: "Now", isWide: true, look: () => "now", cell: now },
  ];
}

function cursorColumns(first: number, second: number): Column[] {
  const at = ({ track, read }: PanelSeries, tMs: number): number => {
    const sample = nearestSample(track, tMs);
    return sample === undefined ? Number.NaN : read(track, sample);
  };
  const change = (each: PanelSeries) => at(each, second) - at(each, first);
  return [
    { head: "Cursor 1", cell: (each) => value(each, at(each, first)) },
    { head: "Cursor 2", cell: (each) => value(each, at(each, second)) },
    { head: "Δ", cell: (each) => changeWords(change(each), each.digits) },
    {
      head: "Δ per s",
      isWide: true,
      cell: (each) => changeWords((change(each) * 1_000) / (second - first), each.digits + 1),
    },
    { head: "Now", isWide: true, look: () => "now", cell: now },
  ];
}
