import "./sensor-monitor.css";
import { Segmented } from "../../../parts/segmented.tsx";
import type { DeviceContext } from "../../panel.ts";
import type { PlotLane } from "../../parts/plot/series.ts";
import { TimePlot } from "../../parts/plot/time-plot.tsx";
import { MarkedTimes } from "../../plot-panel/marked-times.tsx";
import { type PanelSeries, type PlotBody, periodWords, plotPanel } from "../../plot-panel/plot-panel.tsx";
import { usePanelState } from "../react-panel.tsx";
import { Chips } from "./chips.tsx";
import { entriesOf, isFormula, readEntry } from "./shown-fields.ts";
import { SpectrumView } from "./spectrum-view.tsx";
import { XyView } from "./xy-view.tsx";

export const mount = plotPanel({
  noun: "sensor",
  windows: [
    [20, "20 s"],
    [120, "2 min"],
    [600, "10 min"],
    [3_600, "1 h"],
  ],
  usualS: 20,
  plotted: ({ device, capability }, state) =>
    entriesOf(state, capability)
      .map((entry) => readEntry(entry, { device, capability }))
      .flatMap((each) => ("plotted" in each ? [each.plotted] : [])),
  Body: SensorMonitor,
  Tools: Views,
});

type View = "time" | "xy" | "fft";
const VIEWS = [
  ["time", "Time"],
  ["xy", "XY"],
  ["fft", "FFT"],
] as const;

const viewIn = ({ view }: PlotBody["state"]): View => (view === "xy" || view === "fft" ? view : "time");

function Views({ context }: { context: DeviceContext }) {
  const state = usePanelState(context);
  const choose = (view: View) => void context.setState({ view }).catch(reportError);
  return <Segmented label="View" choices={VIEWS} value={viewIn(state)} onChange={choose} />;
}

function SensorMonitor(body: PlotBody) {
  const { context, device, capability, state, series } = body;
  const shown = { device, capability };
  const entries = entriesOf(state, capability).map((entry) => readEntry(entry, shown));
  const view = viewIn(state);
  return (
    <>
      <Chips
        {...{ entries, series, shown }}
        cursorMs={body.controls.cursorMs}
        isLost={device.state !== "ready"}
        onEntries={(fields) => void context.setState({ fields }).catch(reportError)}
        onToggle={body.plot.onToggle}
      />
      {series.length === 0 && <p className="panel-message">Add a field or a formula to see it here.</p>}
      {series.length > 0 && view === "time" && <TimeView {...body} />}
      {series.length > 0 && view === "xy" && <XyView {...body} />}
      {series.length > 0 && view === "fft" && <SpectrumView {...body} />}
    </>
  );
}

/** One lane per unit, on one time. */
function TimeView({ device, series, controls, plot, periodMs }: PlotBody) {
  const lanes: PlotLane[] = [...Map.groupBy(series, ({ unit }) => unit)].map(([unit, own]) => ({ unit, series: own }));
  const formula = series.find(({ key }) => isFormula(key));
  return (
    <>
      <TimePlot {...plot} lanes={lanes} label={`${series.map(({ label }) => label).join(", ")} of ${device.name}`} />
      <MarkedTimes {...{ series, controls, plot }} />
      <div className="panel-status">
        <span>{lanes.length === 1 ? "1 axis" : `${lanes.length} axes, one time`}</span>
        <span>{periodWords(periodMs)}</span>
        <span className="grow" />
        {formula && <span>{formulaWords(formula)}</span>}
      </div>
    </>
  );
}

const formulaWords = ({ key, unit }: PanelSeries): string => (unit === "" ? `${key} has no unit` : `${key} in ${unit}`);
