import "./time-of-flight.css";
import type { JsonObject } from "@backplane/contract/panels";
import { useRef } from "react";
import { Segmented } from "../../../parts/segmented.tsx";
import type { DeviceContent } from "../../device-panel/device-panel.tsx";
import { type Amount, amountsOf } from "../../parts/drawing/amount.ts";
import { Drawing, usePalette } from "../../parts/drawing/drawing.tsx";
import { changeWords, numberWords } from "../../parts/plot/words.ts";
import { type PlotBody, type Plotted, periodWords, plotPanel } from "../../plot-panel/plot-panel.tsx";
import { Values } from "../../plot-panel/readings.tsx";
import { usePanelState } from "../react-panel.tsx";
import { drawRelief } from "./draw-relief.ts";
import {
  approachAt,
  backgroundAt,
  faultsOf,
  isInFront,
  isValid,
  mapAt,
  medianMm,
  nearestOf,
  type Zone,
  type ZoneMap,
} from "./zones.ts";

export const mount = plotPanel({
  noun: "time-of-flight sensor",
  windows: [],
  usualS: 60,
  keptMs: 60_000,
  plotted: () => [NEAREST, MEDIAN],
  Body: TimeOfFlight,
  Tools,
});

const ofMap = (key: string, label: string, of: (zones: readonly Zone[]) => number | undefined): Plotted => ({
  ...{ key, label, unit: "mm" },
  read: (track, sample) => of(mapAt(track, sample)?.zones ?? []) ?? Number.NaN,
});
const NEAREST = ofMap("nearest", "Nearest", (zones) => zones[nearestOf(zones)]?.mm);
const MEDIAN = ofMap("median", "Median", medianMm);

const VIEWS = {
  distance: { word: "Distance", field: "distance_mm", unit: "mm", digits: 0, of: ({ mm }: Zone) => mm },
  signal: { word: "Signal", field: "signal_kcps", unit: "kcps", digits: 0, of: ({ signal }: Zone) => signal },
  sigma: { word: "σ", field: "sigma_mm", unit: "mm", digits: 1, of: ({ sigmaMm }: Zone) => sigmaMm },
} as const;
type View = keyof typeof VIEWS;

const viewOf = ({ view }: JsonObject): View => (view === "signal" || view === "sigma" ? view : "distance");

function Tools({ context, capability }: DeviceContent) {
  const state = usePanelState(context);
  const choices = (Object.keys(VIEWS) as View[])
    .filter((view) => VIEWS[view].field in capability.fields)
    .map((view) => [view, VIEWS[view].word] as const);
  if (choices.length < 2) return null;
  const choose = (view: View) => void context.setState({ view }).catch(reportError);
  return <Segmented label="Shown" choices={choices} value={viewOf(state)} onChange={choose} />;
}

function TimeOfFlight({ context, device, state, track, shown, periodMs }: PlotBody) {
  const sample = shown();
  const map = mapAt(track, sample);
  const background = Array.isArray(state.background) ? (state.background as (number | null)[]) : undefined;
  const learn = () =>
    void context.setState({ background: background ? null : backgroundAt(track, shown()) }).catch(reportError);
  const isLost = device.state !== "ready";
  if (!map) return <p className="panel-message">No map has come yet.</p>;
  const isShown = (zone: Zone, place: number) => isValid(zone) && (!background || isInFront(zone, background[place]));
  return (
    <>
      <div className="tof">
        <ZoneTable {...{ map, view: viewOf(state), isShown, isLost }} />
        <div className="tof-side">
          <Relief map={map} isShown={isShown} />
          <Facts {...{ map, isShown }} approach={approachAt(track, sample)} />
          <Unreliable zones={map.zones} />
          <div className="tof-background">
            <button
              className="switch"
              type="button"
              role="switch"
              aria-checked={background !== undefined}
              onClick={learn}
            >
              Less background
              <i />
            </button>
            <span className="hint">{background ? "What is as far as then is left out." : "Learns the last 3 s."}</span>
          </div>
        </div>
      </div>
      <div className="panel-status">
        <span>{periodWords(periodMs)}</span>
        <span>
          {map.columns} × {map.rows} zones
        </span>
        <span className="grow" />
        <span>{withTemperature(track.valueAt("temperature_c", sample))}</span>
      </div>
    </>
  );
}

const withTemperature = (celsius: number): string => (Number.isNaN(celsius) ? "" : `${numberWords(celsius, 1)} °C`);

type Shown = (zone: Zone, place: number) => boolean;
type MapProps = { map: ZoneMap; view: View; isShown: Shown; isLost: boolean };

/** Lowest and highest value of what is shown. */
function extentOf(values: readonly number[]): readonly [number, number] {
  const known = values.filter(Number.isFinite);
  return known.length === 0 ? [0, 1] : [Math.min(...known), Math.max(...known)];
}

/** Every zone with its number. Near is strong; unreliable zones have none. */
function ZoneTable({ map: { columns, rows, zones }, view, isShown, isLost }: MapProps) {
  const box = useRef<HTMLDivElement>(null);
  const palette = usePalette(box);
  const { of, unit, digits, word } = VIEWS[view];
  const [low, high] = extentOf(zones.filter(isValid).map(of));
  const share = (value: number) => (high > low ? (value - low) / (high - low) : 0.5);
  const amounts = palette && amountsOf(palette);
  const amountFor = (value: number): Amount | undefined =>
    amounts?.(view === "distance" ? 1 - share(value) : share(value));
  const nearest = nearestOf(zones);
  return (
    <div className="tof-left" ref={box}>
      <table className="tof-map" data-lost={isLost} aria-label={`${word} of ${zones.length} zones in ${unit}`}>
        <tbody>
          {Array.from({ length: rows }, (_, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: zones have no other name than their place
            <tr key={row}>
              {Array.from({ length: columns }, (__, column) => {
                const place = row * columns + column;
                const zone = zones[place];
                const value = zone && isShown(zone, place) ? of(zone) : Number.NaN;
                const amount = Number.isNaN(value) ? undefined : amountFor(value);
                return (
                  <td
                    // biome-ignore lint/suspicious/noArrayIndexKey: zones have no other name than their place
                    key={column}
                    data-zone={place}
                    data-nearest={place === nearest || undefined}
                    className={zone?.fault === undefined ? undefined : "unknown"}
                    title={zone?.fault}
                    style={{ background: amount?.ground, color: amount?.ink }}
                  >
                    {Number.isNaN(value) ? "" : numberWords(value, digits, { thousands: false })}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <div className="tof-scale" aria-hidden="true">
        <i
          style={{
            background: amounts && `linear-gradient(to right, ${amountFor(low)?.ground}, ${amountFor(high)?.ground})`,
          }}
        />
        <span>{numberWords(low, digits, { thousands: false })}</span>
        <span>
          {numberWords(high, digits, { thousands: false })} {unit}
        </span>
      </div>
    </div>
  );
}

function Relief({ map: { columns, rows, zones }, isShown }: { map: ZoneMap; isShown: Shown }) {
  const [low, high] = extentOf(zones.filter(isValid).map(({ mm }) => mm));
  const heights = zones.map((zone, place) =>
    isShown(zone, place) ? (high - zone.mm) / Math.max(1, high - low) : Number.NaN,
  );
  return (
    <>
      <p className="tof-caption">Relief, near is high</p>
      <Drawing
        className="tof-relief"
        label="The same zones as a relief, near is high"
        draw={(pen) => drawRelief(pen, { columns, rows, heights })}
      />
    </>
  );
}

type FactsProps = { map: ZoneMap; isShown: Shown; approach: number };

function Facts({ map: { zones }, isShown, approach }: FactsProps) {
  const seen = zones.map((zone, place) => (isShown(zone, place) ? zone : { ...zone, fault: "not shown" }));
  const place = nearestOf(seen);
  const nearest = seen[place];
  const mm = (value: number | undefined) =>
    value === undefined || Number.isNaN(value) ? "–" : `${numberWords(value)} mm`;
  return (
    <Values
      rows={[
        [nearest ? `Nearest, zone ${place}` : "Nearest", mm(nearest?.mm)],
        ["σ there", mm(nearest?.sigmaMm)],
        ["Approaches at", Number.isNaN(approach) ? "–" : `${changeWords(approach, 2)} m/s`],
        ["Median of valid zones", mm(medianMm(zones))],
      ]}
    />
  );
}

function Unreliable({ zones }: { zones: readonly Zone[] }) {
  const faults = faultsOf(zones);
  const count = faults.reduce((sum, [, each]) => sum + each, 0);
  return (
    <div className="tof-unreliable">
      <p>
        <i className="unknown" aria-hidden="true" />
        {count} of {zones.length} unreliable
      </p>
      {count > 0 && (
        <p className="hint">
          {faults.map(([fault, each]) => `${each} ${fault}`).join(", ")}. Nothing is filled in for them.
        </p>
      )}
    </div>
  );
}
