import "./ultrasonic.css";
import { Segmented } from "../../../parts/segmented.tsx";
import type { DeviceContent } from "../../device-panel/device-panel.tsx";
import { Drawing } from "../../parts/drawing/drawing.tsx";
import type { Painter } from "../../parts/plot/paint.ts";
import type { PlotLane } from "../../parts/plot/series.ts";
import { TimePlot } from "../../parts/plot/time-plot.tsx";
import type { Track } from "../../parts/plot/track.ts";
import { numberWords, timeWords } from "../../parts/plot/words.ts";
import { type PlotBody, type Plotted, periodWords, plotPanel } from "../../plot-panel/plot-panel.tsx";
import { Reading, Readings } from "../../plot-panel/readings.tsx";
import { usePanelState } from "../react-panel.tsx";
import { drawSweep } from "./draw-sweep.ts";
import { countLost, distanceAt, type Echo, echoAt, isLost, nearestOf, speedOfSound, sweepsAt } from "./echoes.ts";

const ANGLE = "angle_deg";

export const mount = plotPanel({
  noun: "ultrasonic sensor",
  windows: [
    [10, "10 s"],
    [60, "1 min"],
    [600, "10 min"],
  ],
  usualS: 60,
  plotted: () => [DISTANCE],
  Body: Ultrasonic,
  Tools,
});

const DISTANCE: Plotted = {
  ...{ key: "distance", label: "Distance", unit: "m", isBroken: true },
  read: (track, sample) => distanceAt(track, sample) / 1_000,
};

const VIEWS = [
  ["sweep", "Sweep"],
  ["single", "Single"],
] as const;

function Tools({ context, capability }: DeviceContent) {
  const { view } = usePanelState(context);
  if (!(ANGLE in capability.fields)) return null;
  return (
    <Segmented
      label="Shown"
      choices={VIEWS}
      value={view === "single" ? "single" : "sweep"}
      onChange={(next) => void context.setState({ view: next }).catch(reportError)}
    />
  );
}

const LISTED = 9;
const MIN_REACH_MM = 1_000;
const HALF_DEG = 75;
const SINGLE_HALF_DEG = 30;

function Ultrasonic({ device, capability, state, track, shown, series, times, periodMs, plot }: PlotBody) {
  const sample = shown();
  const now = sample >= track.first ? echoAt(track, sample) : undefined;
  const turns = ANGLE in capability.fields && state.view !== "single";
  const maxMm = Math.max(MIN_REACH_MM, capability.fields.distance_mm?.max ?? 4_000);
  const celsius = track.valueAt("temperature_c", sample);
  const { lost, of } = countLost(track, times);
  const echoes = listed(track, sample);
  const sweeps = turns ? sweepsAt(track, sample) : { fresh: [], old: [] };
  const draw = (pen: Parameters<typeof drawSweep>[0]) => {
    const at = shown();
    const last = at >= track.first ? echoAt(track, at) : undefined;
    const seen = turns ? sweepsAt(track, at) : { fresh: [], old: [] };
    const single = last && { ...last, degrees: Number.NaN };
    drawSweep(pen, { ...seen, maxMm, now: turns ? last : single, halfDeg: turns ? HALF_DEG : SINGLE_HALF_DEG });
  };
  const lane: PlotLane = {
    unit: "m",
    series: series.map((each) => ({ ...each, slot: 2 })),
    minSpan: 1,
    over: (painter) => markLost(painter, track, times),
  };
  const value = (mm: number | undefined) => numberWords(mm ?? Number.NaN);
  const unit = "mm";
  return (
    <>
      <div className="sonar">
        <Drawing
          className="sonar-view"
          label={turns ? `The last sweep: ${sweeps.fresh.length} echoes` : "The last echo"}
          news={() => `${shown()} ${track.revision}`}
          draw={draw}
        />
        <EchoTable echoes={echoes} hasAngle={ANGLE in capability.fields} />
      </div>
      <Readings isLost={device.state !== "ready"}>
        <Reading
          name="Distance"
          value={now && isLost(now) ? "lost" : value(now?.mm)}
          unit={now && isLost(now) ? "" : unit}
        />
        <Reading name="Speed of sound" value={numberWords(speedOfSound(celsius), 1)} unit="m/s" />
        <Reading
          name="Lost echoes"
          value={String(lost)}
          unit={`of ${numberWords(of)}`}
          tone={lost > 0 ? "warn" : undefined}
        />
        <Reading name="Air" value={numberWords(celsius, 1)} unit="°C" />
        <Reading
          name={turns ? "Nearest in sweep" : "Nearest"}
          value={value(nearestOf(turns ? [...sweeps.fresh, ...sweeps.old] : echoes))}
          unit={unit}
        />
      </Readings>
      <TimePlot {...plot} lanes={[lane]} label={`Distance that ${device.name} measures`} />
      <div className="panel-status">
        <span>{periodWords(periodMs)}</span>
        <span className="sonar-key">
          <i aria-hidden="true" /> lost echo
        </span>
        <span className="grow" />
        <span>{Number.isNaN(celsius) ? "as the sensor says" : "corrected for air temperature"}</span>
      </div>
    </>
  );
}

function listed(track: Track, sample: number): Echo[] {
  const echoes: Echo[] = [];
  for (let each = sample; each >= track.first && echoes.length < LISTED; each -= 1) echoes.push(echoAt(track, each));
  return echoes;
}

function EchoTable({ echoes, hasAngle }: { echoes: readonly Echo[]; hasAngle: boolean }) {
  return (
    <table className="series-table loose sonar-list wide-only">
      <thead>
        <tr>
          <th scope="col">Time</th>
          {hasAngle && <th scope="col">Angle</th>}
          <th scope="col">Distance</th>
          <th scope="col">Echo</th>
        </tr>
      </thead>
      <tbody>
        {echoes.map((echo, place) => (
          <tr key={echo.sample} data-now={place === 0 || undefined}>
            <th scope="row">{timeWords(echo.tMs, 2).slice(3)}</th>
            {hasAngle && <td>{Number.isNaN(echo.degrees) ? "–" : `${numberWords(echo.degrees, 1)}°`}</td>}
            <td className={isLost(echo) ? "warn" : "now"}>{isLost(echo) ? "lost" : `${numberWords(echo.mm)} mm`}</td>
            <td className="quiet">{Number.isNaN(echo.us) ? "–" : `${numberWords(echo.us)} µs`}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Pings without an answer, below the line. */
function markLost(
  { context, palette, x, bottom }: Painter,
  track: Track,
  [fromMs, toMs]: readonly [number, number],
): void {
  context.fillStyle = palette.colour("warn");
  for (let sample = track.from(fromMs); sample < track.next && track.timeAt(sample) <= toMs; sample += 1)
    if (Number.isNaN(distanceAt(track, sample))) context.fillRect(x(track.timeAt(sample)) - 1, bottom - 5, 2, 5);
}
