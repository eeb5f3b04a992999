import { useCallback, useMemo } from "react";
import { Chart } from "../../parts/plot/chart.tsx";
import { type Painter, withAlpha } from "../../parts/plot/paint.ts";
import type { Range } from "../../parts/plot/range.ts";
import { durationWords, numberWords, withUnit } from "../../parts/plot/words.ts";
import type { PanelSeries, PlotBody } from "../../plot-panel/plot-panel.tsx";
import { Values } from "../../plot-panel/readings.tsx";
import { correlationOf, type Ellipse, fitEllipse, type Point } from "./ellipse.ts";

const MAX_POINTS = 2_000;
/** An ellipse that leaves more than this share of its short axis over is not drawn. */
const MAX_LEFT_OVER = 0.25;

/** The second series against the first. */
export function XyView({ series, times, device }: PlotBody) {
  const [x, y] = series;
  const key = `${x?.track.next} ${x?.track.revision} ${times[0]} ${x?.key} ${y?.key}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is all that they depend on
  const points = useMemo(() => (x && y ? pointsOf(x, y, times) : []), [key]);
  const found = useMemo(() => fitEllipse(points), [points]);
  const ellipse = found && found.rms < MAX_LEFT_OVER * found.short ? found : undefined;
  const draw = useCallback((painter: Painter) => drawPoints(painter, points, ellipse), [points, ellipse]);
  const [xAxis, yAxis] = useMemo(
    () => [
      { range: rangeOf(points, 0), unit: x?.unit === y?.unit ? "" : (x?.unit ?? "") },
      { range: rangeOf(points, 1), unit: y?.unit ?? "" },
    ],
    [points, x?.unit, y?.unit],
  );
  if (!x || !y) return <p className="panel-message">Add a second field: the first is x, the second is y.</p>;
  return (
    <>
      <div className="xy">
        <Chart
          label={`${y.label} against ${x.label}, ${points.length} points`}
          x={xAxis}
          y={yAxis}
          isSquare={x.unit === y.unit}
          draw={draw}
        />
        <Facts {...{ points, ellipse, x, times }} />
      </div>
      <div className="panel-status">
        <span>{device.name}</span>
        <span>{x.unit === y.unit ? "same scale on both axes" : ""}</span>
        <span className="grow" />
        <span>
          {numberWords(points.length)} points of the last {durationWords(times[1] - times[0])}
        </span>
      </div>
    </>
  );
}

function pointsOf(x: PanelSeries, y: PanelSeries, [fromMs, toMs]: Range): Point[] {
  const { track } = x;
  const first = track.from(fromMs);
  const end = Math.min(track.next, track.from(toMs + 1));
  const step = Math.max(1, Math.ceil((end - first) / MAX_POINTS));
  const points: Point[] = [];
  for (let sample = first; sample < end; sample += step) {
    const [a, b] = [x.read(track, sample), y.read(track, sample)];
    if (!Number.isNaN(a) && !Number.isNaN(b)) points.push([a, b]);
  }
  return points;
}

function rangeOf(points: readonly Point[], which: 0 | 1): Range {
  if (points.length === 0) return [0, 1];
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const point of points) {
    low = Math.min(low, point[which]);
    high = Math.max(high, point[which]);
  }
  const room = Math.max(0.1 * (high - low), 1e-6 * Math.abs(high), 1e-9);
  return [low - room, high + room];
}

function drawPoints({ context, palette, x, y }: Painter, points: readonly Point[], ellipse: Ellipse | undefined): void {
  const colour = palette.colour("series-2");
  for (const [i, [a, b]] of points.entries()) {
    context.fillStyle = withAlpha(colour, 0.25 + (0.75 * i) / points.length);
    context.beginPath();
    context.arc(x(a), y(b), 1.8, 0, 2 * Math.PI);
    context.fill();
  }
  context.strokeStyle = palette.colour("series-1");
  if (ellipse) {
    const px = Math.abs(x(1) - x(0));
    context.lineWidth = 1.25;
    context.beginPath();
    context.ellipse(
      x(ellipse.x),
      y(ellipse.y),
      ellipse.long * px,
      ellipse.short * px,
      -ellipse.angleRad,
      0,
      2 * Math.PI,
    );
    context.moveTo(x(ellipse.x) - 6, y(ellipse.y));
    context.lineTo(x(ellipse.x) + 6, y(ellipse.y));
    context.moveTo(x(ellipse.x), y(ellipse.y) - 6);
    context.lineTo(x(ellipse.x), y(ellipse.y) + 6);
    context.stroke();
  }
  const last = points.at(-1);
  if (!last) return;
  context.fillStyle = palette.colour("accent");
  context.strokeStyle = palette.colour("surface");
  context.lineWidth = 1.5;
  context.beginPath();
  context.arc(x(last[0]), y(last[1]), 4.5, 0, 2 * Math.PI);
  context.fill();
  context.stroke();
}

type FactsProps = { points: readonly Point[]; ellipse: Ellipse | undefined; x: PanelSeries; times: Range };

function Facts({ points, ellipse, x: { unit, digits }, times }: FactsProps) {
  const value = (number: number) => withUnit(numberWords(number, Math.max(1, digits)), unit);
  const rows: [string, string][] = ellipse
    ? [
        ["Centre x", value(ellipse.x)],
        ["Centre y", value(ellipse.y)],
        ["Long axis", value(ellipse.long)],
        ["Short axis", value(ellipse.short)],
        ["Turned by", `${numberWords((ellipse.angleRad * 180) / Math.PI, 1)}°`],
        ["Left over, RMS", value(ellipse.rms)],
      ]
    : [];
  return (
    <div className="xy-facts wide-only">
      <h3>{ellipse ? "Fit of an ellipse" : "No ellipse fits"}</h3>
      <Values rows={rows} />
      <h3>Older to newer</h3>
      <div className="xy-ages" />
      <p className="xy-ends">
        <span>−{durationWords(times[1] - times[0])}</span>
        <span>now</span>
      </p>
      <Values
        rows={[
          ["Points", numberWords(points.length)],
          ["Correlation", numberWords(correlationOf(points), 2)],
        ]}
      />
    </div>
  );
}
