import { type Drawn, drawPlacement, idOf } from "@backplane/kicad/drawing";
import type { Point } from "@backplane/kicad/schematic";
import { type Brush, inOneColour, paint } from "./canvas/paint.ts";
import type { Session } from "./session.ts";
import { busEntrySize, type Tools } from "./tools.ts";

const CROSS_PX = 14;
const DOT_PX = 4;

/** What is not part of the sheet: the highlighted net, what is selected, and what a tool is about to do. */
export function drawOverlay(brush: Brush, session: Session, tools: Tools): void {
  const { context, inks, view } = brush;
  const now = { ...brush, inks: inOneColour(inks, inks.now), extraPx: 1.5 };
  const place = ({ x, y }: Point) => [view.originX + x * view.scale, view.originY + y * view.scale] as const;
  const { tool, at, hasCrosshair } = tools.state();

  drawNet(session, { ...now, extraPx: 2.5 }, place);
  const delta = tool.kind === "move" ? { x: at.x - tool.from.x, y: at.y - tool.from.y } : { x: 0, y: 0 };
  const [originX, originY] = place(delta);
  for (const { primitives } of session.selectedDrawn())
    paint(primitives, { ...now, view: { ...view, originX, originY } });

  context.strokeStyle = inks.now;
  context.fillStyle = inks.now;
  context.lineWidth = 1;
  context.setLineDash([]);
  if (tool.kind === "frame") {
    const [[left, top], [right, bottom]] = [place(tool.from), place(tools.pointer())];
    context.setLineDash(right < left ? [4, 3] : []);
    context.strokeRect(left, top, right - left, bottom - top);
  }
  if (tool.kind === "sheet" && tool.from) {
    const [[left, top], [right, bottom]] = [place(tool.from), place(at)];
    context.strokeRect(left, top, right - left, bottom - top);
  }
  drawLine(brush, tools, place);
  if (tool.kind === "bus-entry") drawBusEntry(brush, place, at, tool.angle);
  if (tool.kind === "symbol") paint(drawPlacement(tool.symbol, at, tool.angle), { ...now, extraPx: 0 });
  if (tool.kind !== "select" && tool.kind !== "frame") drawSnap(brush, place(at));
  if (hasCrosshair || tool.kind === "move" || tool.kind === "symbol") {
    const [x, y] = place(at);
    context.setLineDash([]);
    context.beginPath();
    context.moveTo(x - CROSS_PX, y);
    context.lineTo(x + CROSS_PX, y);
    context.moveTo(x, y - CROSS_PX);
    context.lineTo(x, y + CROSS_PX);
    context.stroke();
  }
}

type Place = (point: Point) => readonly [number, number];

function drawLine({ context, view }: Brush, tools: Tools, place: Place): void {
  const points = tools.linePreview();
  const [first, ...rest] = points;
  if (!first) return;
  context.lineWidth = Math.max(2, 0.25 * view.scale);
  context.setLineDash([6, 4]);
  context.beginPath();
  context.moveTo(...place(first));
  for (const point of rest) context.lineTo(...place(point));
  context.stroke();
  context.lineWidth = 1;
}

function drawBusEntry({ context }: Brush, place: Place, at: Point, angle: number): void {
  const { x, y } = busEntrySize(angle);
  context.beginPath();
  context.moveTo(...place(at));
  context.lineTo(...place({ x: at.x + x, y: at.y + y }));
  context.stroke();
}

function drawSnap({ context }: Brush, [x, y]: readonly [number, number]): void {
  context.setLineDash([]);
  context.beginPath();
  context.arc(x, y, DOT_PX, 0, 2 * Math.PI);
  context.stroke();
}

/** Wires and labels of the net on this sheet, and a dot at each of its pins. */
function drawNet(session: Session, brush: Brush, place: Place): void {
  const { net: name, sheet, drawn } = session.state();
  const net = name === undefined ? undefined : session.nets()?.nets.find((each) => each.name === name);
  if (!net || !sheet || !drawn) return;
  const here = <Part extends { sheet: { path: string } }>(parts: readonly Part[]) =>
    parts.filter((part) => part.sheet.path === sheet.path);
  const ids = new Set([
    ...here(net.wires).map(({ wire }) => idOf(wire)),
    ...here(net.labels).map(({ label }) => idOf(label)),
  ]);
  const items: Drawn[] = drawn.items.filter(({ id }) => ids.has(id));
  for (const { primitives } of items) paint(primitives, brush);
  brush.context.fillStyle = brush.inks.now;
  for (const { pin } of here(net.pins)) {
    const [x, y] = place(pin.at);
    brush.context.beginPath();
    brush.context.arc(x, y, DOT_PX, 0, 2 * Math.PI);
    brush.context.fill();
  }
}
