import { type Box, itemsAt, itemsWithin } from "@backplane/kicad/drawing";
import type { Point } from "@backplane/kicad/schematic";
import { type KeyboardEvent, type Ref, useEffect, useImperativeHandle, useRef, useSyncExternalStore } from "react";
import type { Camera } from "./canvas/camera.ts";
import { type Brush, inOneColour, paint } from "./canvas/paint.ts";
import type { Session } from "./session.ts";
import { Stage } from "./stage.ts";
import { itemWords } from "./words.ts";

export type SheetViewHandle = {
  zoom(steps: number): void;
  fit(): void;
  reveal(box: Box): void;
  focus(): void;
};

type Props = {
  ref: Ref<SheetViewHandle>;
  session: Session;
  onGo: (path: string) => void;
  onZoom: (camera: Camera) => void;
  onPointer: (at: Point | undefined) => void;
  onFind: () => void;
};

const KEYS =
  "Arrow keys move the sheet. Plus and minus zoom, 0 shows the whole sheet. Control F finds items. Enter opens the selected sheet, Backspace goes back to the one above. Escape ends the selection.";
const ARROW_PX = 48;

/** The sheet on its canvas. */
export function SheetView({ ref, session, onGo, onZoom, onPointer, onFind }: Props) {
  const state = useSyncExternalStore(session.subscribe, session.state);
  const host = useRef<HTMLDivElement>(null);
  const stage = useRef<Stage>(undefined);
  const shown = useRef<string>(undefined);
  const calls = useRef({ onGo, onZoom, onPointer });
  calls.current = { onGo, onZoom, onPointer };
  const { sheet, drawn, selection } = state;

  useEffect(() => {
    if (!host.current) return;
    const made = new Stage(host.current, {
      onClick: (at, within, isMore) => click(session, made, at, within, isMore),
      onDoubleClick: (at, within) => {
        const [item] = itemsAt(made.find(around(at, within)), at, within);
        const behind = item && session.sheetBehind(item.id);
        if (behind) calls.current.onGo(behind.path);
      },
      onDragStart: (at, _within, _isMore, isTouch) => {
        if (isTouch) return false;
        frame = { from: at, to: at };
        return true;
      },
      onDrag: (to) => {
        if (frame) frame.to = to;
        draw();
      },
      onDragEnd: (to, isCancelled) => {
        if (frame && !isCancelled)
          session.select(itemsWithin(session.state().drawn?.items ?? [], frame.from, to).map(({ id }) => id));
        frame = undefined;
        draw();
      },
      onHover: (at) => calls.current.onPointer(at),
      onCamera: (camera) => calls.current.onZoom(camera),
    });
    let frame: { from: Point; to: Point } | undefined;
    const draw = () => made.setOverlay((brush) => overlay(brush, session, frame));
    const stop = session.subscribe(draw);
    stage.current = made;
    draw();
    return () => {
      stop();
      made.dispose();
      stage.current = undefined;
      shown.current = undefined;
    };
  }, [session]);

  useEffect(() => {
    if (!drawn || !sheet) return;
    stage.current?.show(drawn.items, drawn.box, shown.current !== sheet.path);
    shown.current = sheet.path;
  }, [drawn, sheet]);

  useImperativeHandle(ref, () => ({
    zoom: (steps) => stage.current?.zoom(steps),
    fit: () => stage.current?.fit(),
    reveal: (box) => stage.current?.reveal(box),
    focus: () => host.current?.focus(),
  }));

  const onKeyDown = (event: KeyboardEvent) => {
    const made = stage.current;
    if (!made || event.altKey) return;
    const isCommand = event.ctrlKey || event.metaKey;
    const arrow = ARROWS[event.key];
    const [only] = selection;
    if (isCommand && event.key === "f") onFind();
    else if (isCommand) return;
    else if (arrow) made.pan(-arrow[0] * ARROW_PX, -arrow[1] * ARROW_PX);
    else if (event.key === "+" || event.key === "=") made.zoom(1);
    else if (event.key === "-") made.zoom(-1);
    else if (event.key === "0") made.fit();
    else if (event.key === "Escape" && selection.size > 0) session.select([]);
    else if (event.key === "Enter" && only !== undefined) {
      const behind = session.sheetBehind(only);
      if (behind) onGo(behind.path);
    } else if (event.key === "Backspace" && sheet?.parent) onGo(sheet.parent.path);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const words = session.selectedItems().map((item) => (sheet ? itemWords(item, sheet) : ""));
  return (
    <div className="schematic-stage-box">
      <div
        ref={host}
        className="schematic-stage"
        role="application"
        data-takes-keys=""
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes the keys
        tabIndex={0}
        aria-label={`Sheet ${sheet?.sheet?.name ?? sheet?.file ?? ""}`}
        aria-description={KEYS}
        onKeyDown={onKeyDown}
        onPointerLeave={() => onPointer(undefined)}
      />
      <p className="sr" role="status">
        {words.length === 0 ? "" : `Selected: ${words.slice(0, 5).join("; ")}`}
      </p>
    </div>
  );
}

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ...{ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] },
};

const around = ({ x, y }: Point, by: number): Box => ({ left: x - by, right: x + by, top: y - by, bottom: y + by });

function click(session: Session, stage: Stage, at: Point, within: number, isMore: boolean): void {
  const found = itemsAt(stage.find(around(at, within)), at, within);
  const { selection } = session.state();
  // A second click at the same place takes what is below.
  const place = found.findIndex(({ id }) => selection.has(id));
  const next = isMore ? found[0] : selection.size === 1 && place !== -1 ? found[(place + 1) % found.length] : found[0];
  if (!next) {
    if (!isMore) session.select([]);
  } else if (!isMore) session.select([next.id]);
  else session.select(selection.has(next.id) ? [...selection].filter((id) => id !== next.id) : [...selection, next.id]);
}

function overlay(brush: Brush, session: Session, frame: { from: Point; to: Point } | undefined) {
  const { context, view, inks } = brush;
  const accent = inks.now;
  for (const item of session.selectedDrawn())
    paint(item.primitives, { ...brush, inks: inOneColour(inks, accent), extraPx: 1.5 });
  if (!frame) return;
  const place = ({ x, y }: Point) => [view.originX + x * view.scale, view.originY + y * view.scale] as const;
  const [[left, top], [right, bottom]] = [place(frame.from), place(frame.to)];
  context.strokeStyle = accent;
  context.lineWidth = 1;
  context.setLineDash(frame.to.x < frame.from.x ? [4, 3] : []);
  context.strokeRect(left, top, right - left, bottom - top);
}
