import { Reading } from "../plot-panel/readings.tsx";
import { curveOf, type Figures } from "./figures.ts";

const TILES: readonly [name: string, field: keyof Figures, unit: string, digits: number][] = [
  ["Frames", "fps", "fps", 1],
  ["Round trip", "roundTripMs", "ms", 0],
  ["Jitter buffer", "jitterBufferMs", "ms", 0],
  ["Lost", "lostPct", "%", 2],
  ["Bit rate", "kbitPerS", "kbit/s", 0],
  ["Freezes", "freezes", "", 0],
];
const [WIDTH, HEIGHT] = [90, 18];

/** The connection in numbers, each with its last minute. */
export const FigureTiles = ({ figures, past }: { figures: Figures | undefined; past: readonly Figures[] }) =>
  TILES.map(([name, field, unit, digits]) => (
    <Reading key={name} name={name} value={figures?.[field]?.toFixed(digits) ?? "–"} unit={unit}>
      <Curve
        points={curveOf(
          past.map((each) => each[field]),
          WIDTH,
          HEIGHT,
        )}
      />
    </Reading>
  ));

const Curve = ({ points }: { points: string | undefined }) => (
  <svg className="stream-curve" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
    {points !== undefined && <polyline points={points} fill="none" vectorEffect="non-scaling-stroke" />}
  </svg>
);
