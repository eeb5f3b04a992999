import "./battery-charger.css";
import { type CSSProperties, useCallback, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { drawLimit, drawLine } from "../../controls/draw.ts";
import { limitsOf } from "../../controls/params.ts";
import { Meter } from "../../controls/values.tsx";
import { usePermission } from "../../controls/why-not.ts";
import type { DeviceContent } from "../../device-panel/device-panel.tsx";
import { PanelAlert } from "../../device-panel/panel-alert.tsx";
import { Chart } from "../../parts/plot/chart.tsx";
import { type Painter, words } from "../../parts/plot/paint.ts";
import type { Range } from "../../parts/plot/range.ts";
import { pastOf } from "../../parts/plot/statistics.ts";
import { numberWords, timeWords } from "../../parts/plot/words.ts";
import { numbersOf } from "../../plot-panel/fields.ts";
import { type PanelSeries, type PlotBody, plotPanel, SLOW_WINDOWS } from "../../plot-panel/plot-panel.tsx";
import { Reading, Readings } from "../../plot-panel/readings.tsx";
import {
  ALLOWED_SPREAD_V,
  axisAround,
  type Cell,
  cellsAt,
  type Expected,
  expect,
  hottestAt,
  leftWords,
  spreadOf,
  stateAt,
  weakestWords,
} from "./pack.ts";

export const mount = plotPanel({
  noun: "charger",
  windows: SLOW_WINDOWS,
  usualS: 3_600,
  isControlling: true,
  plotted: ({ capability }) => numbersOf(capability),
  Body: BatteryCharger,
  Tools,
});

function Tools({ context, commands, capability, device }: DeviceContent) {
  const { why } = usePermission({ context, device }, "none");
  if (!capability.commands.stop) return null;
  return (
    <Button
      size="small"
      look="danger"
      disabled={why !== undefined}
      onClick={() => void commands.send("stop", {}, "stop charging")}
    >
      Stop charging
    </Button>
  );
}

function BatteryCharger(props: PlotBody) {
  const { device, capability, track, shown, series, times } = props;
  const sample = shown();
  const value = (field: string) => track.valueAt(field, sample);
  const { state, fault } = stateAt(track, sample);
  const cells = cellsAt(track, sample);
  const leftMah = ((100 - value("soc_pct")) / 100) * value("capacity_mah");
  const ahead = expect({
    ...{ packV: value("pack_v"), limitV: value("limit_v"), amps: value("current_a"), leftMah },
    ...{ endA: value("end_a") || 0.05 * (value("capacity_mah") / 1_000) },
  });
  const saidS = value("time_to_full_s");
  const leftS = Number.isNaN(saidS) ? (ahead?.at(-1)?.s ?? Number.NaN) : saidS;
  const nowMs = track.timeAt(sample);
  const putIn = value("charge_mah");
  const hottest = hottestAt(track, sample);
  return (
    <>
      <Readings isLost={device.state !== "ready"}>
        <Reading name="Charge" value={numberWords(value("soc_pct"))} unit="%">
          <Meter share={value("soc_pct") / 100 || 0} label="Charge" />
        </Reading>
        <Reading name="Full in" value={state === "full" ? "full" : leftWords(leftS)}>
          {fullWords(nowMs + leftS * 1_000, Number.isNaN(saidS))}
        </Reading>
        <Reading name="Pack" value={numberWords(value("pack_v"), 2)} unit="V">
          {Number.isNaN(value("limit_v")) ? " " : `of ${numberWords(value("limit_v"), 2)} V`}
        </Reading>
        <Reading name="Current" value={numberWords(value("current_a"), 2)} unit="A">
          <span className={fault === undefined ? "" : "charger-fault"}>
            {fault === undefined ? state || " " : "fault"}
          </span>
        </Reading>
        <Reading name="Put in" value={numberWords(putIn)} unit="mAh">
          {Number.isNaN(hottest) ? " " : `${numberWords(hottest, 1)} °C`}
        </Reading>
      </Readings>
      {fault !== undefined && (
        <PanelAlert tone="danger" word="Fault">
          It has stopped charging: {fault}.
        </PanelAlert>
      )}
      {cells.length > 0 && <Cells cells={cells} isLost={device.state !== "ready"} />}
      {cells.length > 1 && <Spread cells={cells} />}
      {capability.commands.start && <Start {...props} />}
      <ChargePlot {...{ device, series, times, nowMs, ahead, limitV: value("limit_v") }} />
    </>
  );
}

const fullWords = (atMs: number, isOurs: boolean): string =>
  Number.isNaN(atMs) ? " " : `at ${timeWords(atMs, -1)}, ${isOurs ? "expected" : "it says"}`;

/** The mark on each bar is the mean of the pack. */
const Cells = ({ cells, isLost }: { cells: readonly Cell[]; isLost: boolean }) => (
  <ul className="charger-cells" data-lost={isLost}>
    {cells.map((cell) => (
      <li key={cell.number} className={cell.isAged ? "aged" : ""} data-cell={cell.number}>
        <span className="charger-cell-head">
          <span>Cell {cell.number}</span>
          {cell.isAged ? (
            <span className="badge warn">ages</span>
          ) : (
            cell.isBalanced && <span className="badge accent">balancing</span>
          )}
        </span>
        <span
          className="charger-bar"
          style={{ "--at": shareOf(cell.volts), "--mean": shareOf(cell.meanV) } as CSSProperties}
          aria-hidden="true"
        />
        <span className="charger-cell-foot">
          <b>{numberWords(cell.volts, 3)} V</b>
          <span title="Inner resistance, from steps of the current">{numberWords(cell.ohms * 1_000, 1)} mΩ</span>
        </span>
      </li>
    ))}
  </ul>
);

const EMPTY_V = 3;
const FULL_V = 4.35;
const shareOf = (volts: number): number => Math.max(0, Math.min(1, (volts - EMPTY_V) / (FULL_V - EMPTY_V))) || 0;

function Spread({ cells }: { cells: readonly Cell[] }) {
  const spread = spreadOf(cells);
  const weakest = weakestWords(cells);
  return (
    <p className="charger-note">
      <span data-field="spread">
        Spread <b className={spread > ALLOWED_SPREAD_V ? "warn" : ""}>{numberWords(spread * 1_000)} mV</b> of{" "}
        {ALLOWED_SPREAD_V * 1_000} allowed
      </span>
      {weakest !== undefined && <span>{weakest}</span>}
    </p>
  );
}

function Start(props: PlotBody) {
  const { capability, commands } = props;
  const { why } = usePermission(props, "powers");
  const [low, high] = limitsOf(capability, "start", "current_a", [0.1, 5]);
  const [text, setText] = useState("2");
  const amps = Number(text);
  const isRight = text !== "" && amps >= low && amps <= high;
  const start = () => commands.send("start", { current_a: amps }, `charge at ${amps} A`);
  return (
    <form
      className="charger-start"
      onSubmit={(event) => {
        event.preventDefault();
        if (why === undefined && isRight) void start();
      }}
    >
      <label>
        Charge at{" "}
        <input
          className="plot-input"
          type="number"
          {...{ min: low, max: high, step: 0.1, value: text }}
          aria-invalid={!isRight}
          onChange={({ target }) => setText(target.value)}
        />{" "}
        A
      </label>
      <Button type="submit" size="small" look="primary" disabled={why !== undefined || !isRight}>
        Start charging
      </Button>
      <span className="hint">{why ?? (isRight ? "" : `from ${low} to ${high} A`)}</span>
    </form>
  );
}

type ChargePlotProps = Pick<PlotBody, "device" | "series" | "times"> & {
  nowMs: number;
  ahead: readonly Expected[] | undefined;
  limitV: number;
};

const MINUTE_MS = 60_000;
const STEPS_MS = [2, 5, 10, 20, 60, 120, 240].map((minutes) => minutes * MINUTE_MS);
const TICKS = 6;

/** Volts by the left axis and amperes by the right one; what is expected is dashed. */
function ChargePlot({ device, series, times, nowMs, ahead, limitV }: ChargePlotProps) {
  const find = (key: string) => series.find((each) => each.key === key);
  const packV = pointsOf(find("pack_v"), times);
  const amps = pointsOf(find("current_a"), times);
  const range: Range = [times[0], Math.max(times[1], nowMs + (ahead?.at(-1)?.s ?? 0) * 1_050)];
  const span = range[1] - range[0];
  const step = STEPS_MS.find((each) => span / each <= TICKS) ?? span / TICKS;
  const volts = axisAround([...packV.map(([, v]) => v), limitV, ...(ahead?.map((each) => each.volts) ?? [])], 1, 2);
  const [, highA] = axisAround([0, ...amps.map(([, a]) => a)], 2, 2);
  const draw = useCallback(
    (painter: Painter) => drawCharge(painter, { packV, amps, ahead, nowMs, limitV, volts, highA }),
    [packV, amps, ahead, nowMs, limitV, volts, highA],
  );
  return (
    <>
      <p className="legend">
        <span className="trace-1">
          <i />
          pack, V
        </span>
        <span className="trace-2">
          <i />
          current, to {highA} A
        </span>
        {ahead && <span className="hint">dashed: expected</span>}
      </p>
      <div className="charger-chart">
        <Chart
          label={plotWords(device.name, ahead)}
          x={{ range, unit: "", step, words: (tMs) => timeWords(tMs, -1) }}
          y={{ range: volts, unit: "V" }}
          draw={draw}
        />
      </div>
    </>
  );
}

const plotWords = (name: string, ahead: readonly Expected[] | undefined): string =>
  `Voltage and current of ${name}${ahead ? `; expected to be full in ${leftWords(ahead.at(-1)?.s ?? 0)}` : ""}`;

type TimePoint = readonly [tMs: number, value: number];
const MAX_POINTS = 1_500;

/** From the history, then from memory; of many samples only as many as are seen. */
function pointsOf(series: PanelSeries | undefined, times: Range): TimePoint[] {
  if (!series) return [];
  const { track, read } = series;
  const points: TimePoint[] = [...pastOf(series, times)].map(({ tMs, mean }) => [tMs, mean] as const);
  const [from, to] = [track.from(times[0]), track.from(times[1] + 1)];
  const step = Math.max(1, Math.ceil((to - from) / MAX_POINTS));
  for (let sample = from; sample < to; sample += step)
    points.push([track.timeAt(sample), read(track, sample)] as const);
  return points;
}

type Drawn = {
  packV: readonly TimePoint[];
  amps: readonly TimePoint[];
  ahead: readonly Expected[] | undefined;
  nowMs: number;
  limitV: number;
  volts: Range;
  highA: number;
};

function drawCharge(painter: Painter, { packV, amps, ahead, nowMs, limitV, volts: [low, high], highA }: Drawn): void {
  const { context, palette, right, top, bottom, x, y } = painter;
  const asVolts = (ampere: number) => low + (ampere / highA) * (high - low);
  if (!Number.isNaN(limitV)) drawLimit(painter, limitV, `limit ${numberWords(limitV, 1)} V`, "end");
  drawLine(painter, packV, { colour: "series-1" });
  drawLine(
    painter,
    amps.map(([t, a]) => [t, asVolts(a)] as const),
    { colour: "series-2" },
  );
  if (ahead) {
    const at = (s: number) => nowMs + s * 1_000;
    drawLine(
      painter,
      ahead.map(({ s, volts }) => [at(s), volts] as const),
      { colour: "series-1", dash: [4, 3] },
    );
    drawLine(
      painter,
      ahead.map((each) => [at(each.s), asVolts(each.amps)] as const),
      { colour: "series-2", dash: [4, 3] },
    );
    context.strokeStyle = palette.colour("line-strong");
    context.beginPath();
    context.moveTo(Math.round(x(nowMs)) + 0.5, top);
    context.lineTo(Math.round(x(nowMs)) + 0.5, bottom);
    context.stroke();
    words(painter, "now", x(nowMs) + 4, bottom - 6);
  }
  words(painter, `${highA / 2} A`, right, y(asVolts(highA / 2)) - 4, { align: "end" });
}
