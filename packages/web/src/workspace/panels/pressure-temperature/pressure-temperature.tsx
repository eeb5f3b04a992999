import { useState } from "react";
import type { DeviceContent } from "../../device-panel/device-panel.tsx";
import { type Painter, words } from "../../parts/plot/paint.ts";
import type { PlotLane } from "../../parts/plot/series.ts";
import { lastValue } from "../../parts/plot/statistics.ts";
import { Swatch, TimePlot } from "../../parts/plot/time-plot.tsx";
import type { Track } from "../../parts/plot/track.ts";
import { changeWords, durationWords, numberWords } from "../../parts/plot/words.ts";
import { numbersOf } from "../../plot-panel/fields.ts";
import { type PanelSeries, type PlotBody, type Plotted, periodWords, plotPanel } from "../../plot-panel/plot-panel.tsx";
import { Reading, Readings } from "../../plot-panel/readings.tsx";
import { altitudeM, dewPointC, hpaOf, seaLevelHpa, tendencyOf } from "./weather.ts";

const HOUR_MS = 3_600_000;
const TENDENCY_MS = 3 * HOUR_MS;
/** Before this, a change says nothing. */
const MIN_TENDENCY_MS = 10 * 60_000;

export const mount = plotPanel({
  noun: "sensor of pressure and temperature",
  windows: [
    [600, "10 min"],
    [10_800, "3 h"],
    [86_400, "24 h"],
    [604_800, "7 days"],
  ],
  usualS: 10_800,
  plotted,
  Body: PressureTemperature,
});

const PRESSURE = "pressure_pa";
const TEMPERATURE = "temperature_c";
const HUMIDITY = "humidity_pct";
const DEW = "dew-point";

const heightOf = ({ altitudeM: height }: PlotBody["state"]): number | undefined =>
  typeof height === "number" ? height : undefined;

function plotted({ capability }: DeviceContent, state: PlotBody["state"]): Plotted[] {
  const height = heightOf(state) ?? 0;
  const has = (field: string) => numbersOf(capability).some(({ key }) => key === field);
  const convert = (pa: number) => seaLevelHpa(hpaOf(pa), height);
  const pressure: Plotted = {
    ...{ key: `${PRESSURE} at ${height} m`, field: PRESSURE, label: "Pressure", unit: "hPa", convert },
    read: (track, sample) => convert(track.valueAt(PRESSURE, sample)),
  };
  const temperature: Plotted = {
    ...{ key: TEMPERATURE, field: TEMPERATURE, label: "Temperature", unit: "°C" },
    read: (track, sample) => track.valueAt(TEMPERATURE, sample),
  };
  const dew: Plotted = {
    ...{ key: DEW, label: "Dew point", unit: "°C" },
    read: (track, sample) => dewPointC(track.valueAt(TEMPERATURE, sample), track.valueAt(HUMIDITY, sample)),
  };
  return [
    ...(has(PRESSURE) ? [pressure] : []),
    ...(has(TEMPERATURE) ? [temperature] : []),
    ...(has(TEMPERATURE) && has(HUMIDITY) ? [dew] : []),
  ];
}

/** Teal for pressure, copper for temperature, violet for the dew point. */
const SLOTS: Record<string, number> = { hPa: 2, "°C": 1 };

function PressureTemperature({ context, device, capability, state, series, periodMs, plot, times }: PlotBody) {
  const own = series.map((each) => ({ ...each, slot: each.key === DEW ? 3 : (SLOTS[each.unit] ?? 1) }));
  const pressure = own.find(({ unit }) => unit === "hPa");
  const airs = own.filter(({ unit }) => unit === "°C");
  const change = pressure && changeOf(pressure, times[1]);
  const lanes: PlotLane[] = [
    ...(pressure
      ? [
          {
            unit: "hPa",
            series: [pressure],
            weight: 1.6,
            minSpan: 2,
            thousands: false,
            ...tendencyPaint(pressure, change),
          },
        ]
      : []),
    ...(airs.length > 0 ? [{ unit: "°C", series: airs, minSpan: 2 }] : []),
  ];
  return (
    <>
      <Weather
        {...{ own, pressure, change }}
        track={own[0]?.track}
        height={heightOf(state)}
        isLost={device.state !== "ready"}
      />
      {pressure && (
        <Altitude
          height={heightOf(state)}
          pressure={pressure}
          onHeight={(m) => void context.setState({ altitudeM: m })}
        />
      )}
      <TimePlot {...plot} lanes={lanes} label={`Pressure and temperature of ${device.name}`} />
      {airs.length > 1 && (
        <div className="plot-head wide-only">
          {own.map(({ key, slot, label }) => (
            <span className="row" key={key}>
              <Swatch slot={slot} />
              {label}
            </span>
          ))}
        </div>
      )}
      <div className="panel-status">
        <span>{periodWords(periodMs)}</span>
        <span className="grow" />
        <span>{[device.model, capability.name].filter(Boolean).join(", ")}</span>
      </div>
    </>
  );
}

type Change = { hpa: number; overMs: number; fromHpa: number; fromMs: number };

/** How the pressure has changed, in three hours or as long as it is known. */
function changeOf(
  { track, read, history, convert = (value) => value }: PanelSeries,
  nowMs: number,
): Change | undefined {
  const now = lastValue(track, read);
  if (Number.isNaN(now)) return undefined;
  const sinceMs = nowMs - TENDENCY_MS;
  const past = history?.tMs.findIndex((t) => t >= sinceMs) ?? -1;
  const first = track.from(sinceMs);
  const known = past >= 0 ? history?.mean[past] : undefined;
  const fromMs = typeof known === "number" ? (history?.tMs[past] as number) : track.timeAt(first);
  const fromHpa = typeof known === "number" ? convert(known) : read(track, first);
  return { hpa: now - fromHpa, fromHpa, fromMs, overMs: nowMs - fromMs };
}

const isKnown = (change: Change | undefined): change is Change =>
  change !== undefined && change.overMs >= MIN_TENDENCY_MS && Number.isFinite(change.hpa);

type WeatherProps = {
  own: readonly PanelSeries[];
  pressure: PanelSeries | undefined;
  track: Track | undefined;
  change: Change | undefined;
  height: number | undefined;
  isLost: boolean;
};

function Weather({ own, pressure, track, change, height, isLost }: WeatherProps) {
  const of = (key: string) => {
    const found = own.find((each) => each.key === key);
    return found ? lastValue(found.track, found.read) : Number.NaN;
  };
  const last = (field: string) => track?.valueAt(field, track.next - 1) ?? Number.NaN;
  const temperature = of(TEMPERATURE);
  const dew = of(DEW);
  const humidity = last(HUMIDITY);
  const tendency = isKnown(change)
    ? tendencyOf((change.hpa * TENDENCY_MS) / Math.max(change.overMs, TENDENCY_MS))
    : undefined;
  return (
    <Readings isLost={isLost} isLarge>
      {pressure && (
        <Reading
          name={height === undefined ? "Pressure" : "Pressure at sea level"}
          unit="hPa"
          value={numberWords(lastValue(pressure.track, pressure.read), 1, { thousands: false })}
        >
          {height === undefined
            ? "at the station"
            : `at the station ${numberWords(hpaOf(last(PRESSURE)), 1, { thousands: false })} hPa`}
        </Reading>
      )}
      {pressure && (
        <Reading
          name={
            isKnown(change) && change.overMs < TENDENCY_MS * 0.95
              ? `Change in ${durationWords(change.overMs)}`
              : "3 h tendency"
          }
          unit="hPa"
          tone={tendency?.isStrong ? "warn" : undefined}
          value={isKnown(change) ? changeWords(change.hpa, 1) : "–"}
        >
          {tendency?.words ?? "after 10 min of values"}
        </Reading>
      )}
      <Reading name="Temperature" unit="°C" value={numberWords(temperature, 1)}>
        {Number.isNaN(humidity) ? "" : `humidity ${numberWords(humidity)} %`}
      </Reading>
      {!Number.isNaN(dew) && (
        <Reading name="Dew point" unit="°C" value={numberWords(dew, 1)}>
          {numberWords(temperature - dew, 1)} °C below the air
        </Reading>
      )}
    </Readings>
  );
}

type AltitudeProps = { height: number | undefined; pressure: PanelSeries; onHeight: (height: number | null) => void };

/** How high the sensor is: without it there is no pressure at sea level. */
function Altitude({ height, pressure, onHeight }: AltitudeProps) {
  const [draft, setDraft] = useState<string>();
  const shown = lastValue(pressure.track, pressure.read);
  const guess = Math.round(altitudeM(shown));
  const commit = () => {
    if (draft === undefined) return;
    const value = Number(draft.replace(",", "."));
    setDraft(undefined);
    if (draft.trim() === "") onHeight(null);
    else if (Number.isFinite(value)) onHeight(Math.max(-500, Math.min(10_000, value)));
  };
  return (
    <div className="plot-head weather-altitude">
      <label>
        Altitude{" "}
        <input
          className="plot-input"
          inputMode="decimal"
          value={draft ?? (height === undefined ? "" : String(height))}
          placeholder="not set"
          onChange={(event) => setDraft(event.target.value)}
          onBlur={commit}
          onKeyDown={(event) => event.key === "Enter" && commit()}
        />{" "}
        m
      </label>
      <span className="wide-only">
        {height === undefined
          ? `in a standard atmosphere ${numberWords(guess)} m; set it to see the pressure at sea level`
          : ""}
      </span>
    </div>
  );
}

/** The last three hours have a ground of their own, with the change beside it. */
function tendencyPaint({ track, read }: PanelSeries, change: Change | undefined): Pick<PlotLane, "under" | "over"> {
  if (!isKnown(change)) return {};
  const isStrong = tendencyOf(change.hpa).isStrong;
  return {
    under({ context, palette, x, left, right, top, bottom }: Painter) {
      if (!isStrong) return;
      context.globalCompositeOperation = "destination-over";
      context.fillStyle = palette.colour("warn-soft");
      const from = Math.max(left, x(change.fromMs));
      context.fillRect(from, top, right - from, bottom - top);
      context.globalCompositeOperation = "source-over";
    },
    over(painter: Painter) {
      const { context, palette, x, y, left, right } = painter;
      const from = Math.max(left, x(change.fromMs));
      if (from > right - 40) return;
      const colour = isStrong ? "warn" : "muted";
      context.strokeStyle = palette.colour(colour);
      context.setLineDash([2, 2]);
      context.beginPath();
      context.moveTo(from, y(change.fromHpa));
      context.lineTo(right - 4, y(change.fromHpa));
      context.lineTo(right - 4, y(lastValue(track, read)));
      context.stroke();
      context.setLineDash([]);
      const text = `${changeWords(change.hpa, 1)} hPa in ${durationWords(Math.min(change.overMs, TENDENCY_MS))}`;
      words(painter, text, right - 10, (y(change.fromHpa) + y(lastValue(track, read))) / 2 + 4, {
        align: "end",
        colour,
      });
    },
  };
}
