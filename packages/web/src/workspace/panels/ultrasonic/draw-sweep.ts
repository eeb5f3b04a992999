import type { Pen } from "../../parts/drawing/drawing.tsx";
import { withAlpha, words } from "../../parts/plot/paint.ts";
import { tickStep } from "../../parts/plot/range.ts";
import { type Echo, isLost, type Sweeps } from "./echoes.ts";

const RAD = Math.PI / 180;
const BOTTOM_PX = 22;
const RIM_PX = 26;
/** Of a sensor that does not turn. */
const CONE_DEG = 7.5;

type Scene = Sweeps & { now: Echo | undefined; maxMm: number; halfDeg: number };

/** What answers in which direction. A lost echo is a mark on the rim, not a long distance. */
export function drawSweep(pen: Pen, { fresh, old, now, maxMm, halfDeg }: Scene): void {
  const { context, palette, width, height } = pen;
  const reach = Math.max(20, Math.min(height - BOTTOM_PX - RIM_PX, (width / 2 - RIM_PX) / Math.sin(halfDeg * RAD)));
  const px = (mm: number) => (Math.min(mm, maxMm) / maxMm) * reach;
  const at = (degrees: number, radius: number) =>
    [Math.sin(degrees * RAD) * radius, -Math.cos(degrees * RAD) * radius] as const;
  const arc = (radius: number, from: number, to: number) =>
    context.arc(0, 0, radius, (from - 90) * RAD, (to - 90) * RAD);
  context.save();
  context.translate(width / 2, height - BOTTOM_PX);

  const step = tickStep(maxMm, Math.max(2, reach / 45));
  context.strokeStyle = palette.colour("line");
  for (let mm = step; mm <= maxMm + 1; mm += step) {
    context.beginPath();
    arc(px(mm), -halfDeg, halfDeg);
    context.stroke();
  }
  for (const degrees of [-60, -30, 0, 30, 60].filter((each) => Math.abs(each) <= halfDeg)) {
    context.beginPath();
    context.moveTo(0, 0);
    context.lineTo(...at(degrees, reach));
    context.stroke();
  }

  const beam = gapOf(fresh) / 2;
  const drawEcho = (echo: Echo, strength: number) => {
    const degrees = Number.isNaN(echo.degrees) ? 0 : echo.degrees;
    const half = Number.isNaN(echo.degrees) ? CONE_DEG : beam;
    const radius = isLost(echo) ? reach + 6 : px(echo.mm);
    const colour = palette.colour(isLost(echo) ? "warn" : "series-2");
    if (!isLost(echo)) {
      context.fillStyle = withAlpha(colour, 0.16 * strength);
      context.beginPath();
      context.moveTo(0, 0);
      arc(radius, degrees - half, degrees + half);
      context.fill();
    }
    context.strokeStyle = withAlpha(colour, strength);
    context.lineWidth = 3;
    context.beginPath();
    arc(radius, degrees - half * 0.8, degrees + half * 0.8);
    context.stroke();
    context.lineWidth = 1;
  };
  const [from, to] = [
    Math.min(...fresh.map(({ degrees }) => degrees)),
    Math.max(...fresh.map(({ degrees }) => degrees)),
  ];
  // What the new sweep has seen again is not drawn twice.
  for (const echo of old) if (echo.degrees < from || echo.degrees > to) drawEcho(echo, 0.4);
  for (const echo of fresh) drawEcho(echo, 1);
  if (fresh.length === 0 && now) drawEcho(now, 1);

  for (let mm = step; mm <= maxMm + 1; mm += step) words(pen, `${mm / 1_000} m`, 0, -px(mm) + 12, { align: "center" });
  for (const degrees of [-60, -30, 0, 30, 60].filter((each) => Math.abs(each) <= halfDeg)) {
    const [x, y] = at(degrees, reach + 14);
    words(pen, `${degrees < 0 ? "−" : ""}${Math.abs(degrees)}°`, x, y + 3, { align: "center" });
  }
  if (now) drawNow({ context, palette }, now, at(Number.isNaN(now.degrees) ? 0 : now.degrees, 1), px, reach);
  context.fillStyle = palette.colour("text");
  context.fillRect(-9, 0, 18, 9);
  context.restore();
}

type Ink = Pick<Pen, "context" | "palette">;

function drawNow(
  { context, palette }: Ink,
  now: Echo,
  way: readonly [number, number],
  px: (mm: number) => number,
  reach: number,
) {
  context.strokeStyle = palette.colour("accent");
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(0, 0);
  context.lineTo(way[0] * reach, way[1] * reach);
  context.stroke();
  context.lineWidth = 1;
  if (isLost(now)) return;
  context.fillStyle = palette.colour("accent");
  context.beginPath();
  context.arc(way[0] * px(now.mm), way[1] * px(now.mm), 4.5, 0, 2 * Math.PI);
  context.fill();
  context.strokeStyle = palette.colour("surface");
  context.stroke();
}

/** How far the beams of a sweep are apart. */
function gapOf(echoes: readonly Echo[]): number {
  const gaps = echoes
    .slice(1)
    .map(({ degrees }, i) => Math.abs(degrees - (echoes[i]?.degrees ?? degrees)))
    .filter((gap) => gap > 0);
  return gaps.length === 0 ? CONE_DEG : Math.min(15, gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length);
}
