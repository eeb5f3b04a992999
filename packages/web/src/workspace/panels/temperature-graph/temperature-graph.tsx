import "./temperature-graph.css";
import { type KeyboardEvent, useState } from "react";
import { State } from "../../../parts/state.tsx";
import type { PlotLane } from "../../parts/plot/series.ts";
import { extremesOf, lastValue } from "../../parts/plot/statistics.ts";
import { TimePlot } from "../../parts/plot/time-plot.tsx";
import { durationWords, numberWords } from "../../parts/plot/words.ts";
import { numbersOf } from "../../plot-panel/fields.ts";
import { type PanelSeries, type PlotBody, periodWords, plotPanel } from "../../plot-panel/plot-panel.tsx";
import { SeriesTable } from "../../plot-panel/series-table.tsx";
import { type LimitReport, limitsOf, reportOf, stateWords } from "./limits.ts";

const UNIT = "°C";

export const mount = plotPanel({
  noun: "thermometer",
  windows: [
    [600, "10 min"],
    [3_600, "1 h"],
    [21_600, "6 h"],
    [86_400, "24 h"],
  ],
  usualS: 600,
  isForMany: true,
  plotted: ({ capability }) => numbersOf(capability).filter(({ unit }) => unit === UNIT),
  Body: TemperatureGraph,
});

type Sensor = PanelSeries & { limit: number | undefined; report: LimitReport; extremes: { min: number; max: number } };

function TemperatureGraph({ context, device, state, series, times, periodMs, plot }: PlotBody) {
  const limits = limitsOf(state.limits);
  const sensors: Sensor[] = series.map((each) => {
    const limit = limits[each.key];
    return {
      ...{ ...each, digits: Math.min(2, Math.max(1, each.digits)), limit },
      ...{ report: reportOf(each, limit, times), extremes: extremesOf(each, times) },
    };
  });
  const picked = sensors.find(({ key }) => key === state.picked);
  const marked = picked ?? sensors.find(({ limit }) => limit !== undefined);
  const set = (patch: Parameters<typeof context.setState>[0]) => void context.setState(patch).catch(reportError);
  const setLimit = (key: string, limit: number | undefined) => {
    const { [key]: _, ...others } = limits;
    set({ limits: limit === undefined ? others : { ...others, [key]: limit } });
  };
  const lane: PlotLane = {
    ...{ unit: UNIT, series: sensors, hasNames: true, hasAlarm: true, minSpan: 2 },
    limits:
      marked?.limit === undefined
        ? []
        : [
            {
              ...{ value: marked.limit, words: (value) => `high ${limitWords(value)}`, step: STEP },
              onMove: (limit) => setLimit(marked.key, limit),
            },
          ],
  };
  const high = sensors.filter(({ report }) => report.isAbove).length;
  return (
    <>
      <TimePlot {...plot} lanes={[lane]} label={`Temperatures of ${device.name}`} />
      <SeriesTable
        label="Sensors"
        first="Sensor"
        series={sensors}
        columns={columnsOf(picked?.key, (key) => set({ picked: key === picked?.key ? null : key }))}
        picked={picked?.key}
        nameLabel={({ label, isShown }) => `${isShown ? "Hide" : "Show"} ${label}`}
        onName={({ key }, isAlone) => plot.onToggle(key, isAlone)}
      />
      {picked && <LimitRow key={picked.key} sensor={picked} onLimit={(limit) => setLimit(picked.key, limit)} />}
      <div className="panel-status">
        <span>{periodWords(periodMs)}</span>
        <span>
          {sensors.length} {sensors.length === 1 ? "sensor" : "sensors"}
        </span>
        <span className="grow" />
        {high > 0 ? (
          <State tone="danger" word={`${high} high`} />
        ) : (
          <span className="wide-only">
            {lane.limits?.length ? "Drag the square to move its limit" : "The limit of the picked sensor is drawn"}
          </span>
        )}
      </div>
    </>
  );
}

const limitWords = (limit: number): string => `${numberWords(limit)} °C`;

const columnsOf = (picked: string | undefined, onPick: (key: string) => void) => [
  {
    head: "Now",
    cell: ({ track, read, digits }: Sensor) => `${numberWords(lastValue(track, read), digits)} °C`,
    look: ({ report, isReady }: Sensor) => `now ${report.isAbove ? "danger" : ""} ${isReady ? "" : "lost"}`,
  },
  ...(["min", "max"] as const).map((which) => ({
    head: which === "min" ? "Min" : "Max",
    isWide: true,
    cell: ({ extremes, digits }: Sensor) => numberWords(extremes[which], digits),
  })),
  {
    head: "High limit",
    look: () => "quiet",
    cell: ({ key, label, limit }: Sensor) => (
      <button
        className="limit-pick"
        type="button"
        aria-label={
          limit === undefined ? `Set the high limit of ${label}` : `${limitWords(limit)}, high limit of ${label}`
        }
        aria-expanded={key === picked}
        onClick={() => onPick(key)}
      >
        {limit === undefined ? "Set" : limitWords(limit)}
      </button>
    ),
  },
  {
    head: "Time above",
    look: ({ report }: Sensor) => (report.isAbove ? "danger" : report.aboveMs > 0 ? "warn" : "quiet"),
    cell: ({ limit, report }: Sensor) => (limit === undefined ? "–" : durationWords(report.aboveMs)),
  },
  {
    head: "State",
    isWide: true,
    look: () => "words",
    cell: ({ limit, report, isReady }: Sensor) => <State {...stateWords(limit, report, isReady)} />,
  },
];

const STEP = 1;

/** The limit of the sensor that was picked. Arrow keys change it by one degree, with Shift by ten. */
function LimitRow({ sensor, onLimit }: { sensor: Sensor; onLimit: (limit: number | undefined) => void }) {
  const [draft, setDraft] = useState<string>();
  const { label, limit, track, read } = sensor;
  const shown = draft ?? (limit === undefined ? "" : String(limit));
  const commit = (text: string) => {
    setDraft(undefined);
    const value = Number(text.replace(",", "."));
    if (text.trim() === "") onLimit(undefined);
    else if (Number.isFinite(value)) onLimit(value);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") return commit(shown);
    const by = { ArrowUp: STEP, ArrowDown: -STEP }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const from = limit ?? Math.round(lastValue(track, read) + 10);
    onLimit(from + by * (event.shiftKey ? 10 : 1));
  };
  return (
    <div className="limit-row">
      <label htmlFor={`limit-${sensor.key}`}>High limit of {label}</label>
      <input
        id={`limit-${sensor.key}`}
        className="plot-input"
        inputMode="decimal"
        placeholder="none"
        value={shown}
        onChange={(event) => setDraft(event.target.value)}
        onBlur={() => draft !== undefined && commit(draft)}
        onKeyDown={onKeyDown}
      />
      <span>°C</span>
      <span className="grow" />
      {limit !== undefined && (
        <button className="btn small quiet" type="button" onClick={() => onLimit(undefined)}>
          Remove
        </button>
      )}
    </div>
  );
}
