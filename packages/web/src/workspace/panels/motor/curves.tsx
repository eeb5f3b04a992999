import { useCallback } from "react";
import { drawLimit, drawLine } from "../../controls/draw.ts";
import type { Limits } from "../../controls/params.ts";
import { recentPoints, useTrack } from "../../controls/use-track.ts";
import type { DeviceContent } from "../../device-panel/device-panel.tsx";
import { hatch } from "../../parts/drawing/hatch.ts";
import { Chart } from "../../parts/plot/chart.tsx";
import type { Painter } from "../../parts/plot/paint.ts";
import { numberWords } from "../../parts/plot/words.ts";

const WINDOW_MS = 10_000;
/** Of the whole, above and below the limits. */
const ROOM = 0.1;

type Curve = { field: string; colour: string; dash?: number[] };
type ChartProps = {
  name: string;
  unit: string;
  limits: Limits;
  /** Drawn in this order. */
  curves: readonly Curve[];
};

/** The last ten seconds: what it does, beside what it was told, and what it draws. */
export function Curves(props: DeviceContent & { limits: Limits; unit: string }) {
  const { capability, limits, unit } = props;
  const { current_a: current, target_rad_s: target } = capability.fields;
  const told: Curve[] = target ? [{ field: "target_rad_s", colour: "series-1", dash: [3, 3] }] : [];
  return (
    <div className="motor-curves">
      <CurveChart
        {...props}
        {...{ name: "Velocity", unit, limits }}
        curves={[...told, { field: "velocity_rad_s", colour: "series-2" }]}
      />
      {current && (
        <CurveChart
          {...props}
          {...{ name: "Current", unit: current.unit ?? "A", limits: [current.min ?? -10, current.max ?? 10] }}
          curves={[{ field: "current_a", colour: "series-3" }]}
        />
      )}
    </div>
  );
}

function CurveChart(props: DeviceContent & ChartProps) {
  const { context, name, unit, limits, curves } = props;
  const [low, high] = limits;
  const track = useTrack(props, WINDOW_MS);
  const end = track.next;
  const room = ROOM * (high - low);
  const key = JSON.stringify([limits, curves]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the track grows, and is drawn again then
  const draw = useCallback(
    (painter: Painter) => {
      const { left, right, y } = painter;
      const nowMs = context.clock.nowMs();
      // Beyond the limits nothing is asked for.
      for (const [from, to] of [
        [high + room, high],
        [low, low - room],
      ] as const)
        hatch(painter, { x: left, y: y(from), width: right - left, height: y(to) - y(from) });
      drawLimit(painter, high, `limit ${numberWords(high)}`, "end");
      for (const { field, ...look } of curves)
        drawLine(painter, recentPoints(track, field, nowMs - WINDOW_MS, nowMs), look);
    },
    [track, end, key, context],
  );
  return (
    <div className="small-chart">
      <Chart
        label={`${name} of the last ten seconds, from ${numberWords(low)} to ${numberWords(high)} ${unit}`}
        x={{ range: [-WINDOW_MS / 1_000, 0], unit: "s" }}
        y={{ range: [low - room, high + room], unit }}
        draw={draw}
      />
    </div>
  );
}
