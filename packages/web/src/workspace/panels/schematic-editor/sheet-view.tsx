import type { Box } from "@backplane/kicad/drawing";
import { type KeyboardEvent, type Ref, useEffect, useImperativeHandle, useRef, useSyncExternalStore } from "react";
import type { Camera } from "./canvas/camera.ts";
import { drawOverlay } from "./overlay.ts";
import type { Session } from "./session.ts";
import { Stage } from "./stage.ts";
import { GRID_MM, type Tool, type Tools } from "./tools.ts";
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
  tools: Tools;
  onGo: (path: string) => void;
  onZoom: (camera: Camera) => void;
  onFind: () => void;
  onChooseSymbol: () => void;
  onCopy: () => void;
  onPaste: () => void;
};

const KEYS = [
  "Arrow keys move the crosshair, with Shift ten steps. Enter does what a click does.",
  "Plus and minus zoom, 0 shows the whole sheet, Control F finds items, Backspace goes to the sheet above.",
  "M moves what is selected, G moves it with its wires, R turns it, X and Y mirror it, Delete removes it.",
  "W draws a wire, B a bus, Z a bus entry, L a label, Q a no-connection, T a text, A places a symbol.",
  "S draws a sheet, I a pin of a sheet. Escape ends.",
].join(" ");
const NEAR_MM = 0.8;
const NO_IDS: ReadonlySet<string> = new Set();

/** The sheet on its canvas. */
export function SheetView(props: Props) {
  const { ref, session, tools } = props;
  const { sheet, drawn, selection } = useSyncExternalStore(session.subscribe, session.state);
  const { tool } = useSyncExternalStore(tools.subscribe, tools.state);
  const host = useRef<HTMLDivElement>(null);
  const stage = useRef<Stage>(undefined);
  const shown = useRef<string>(undefined);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    if (!host.current) return;
    const made = new Stage(host.current, {
      onClick: (at, within, isMore) => {
        host.current?.focus();
        tools.hover(at);
        tools.click(at, within, isMore);
      },
      onDoubleClick: () => {
        tools.doubleClick();
        openSelected(latest.current);
      },
      onDragStart: (at, within, isAlone, isTouch) => tools.dragStart(at, within, isAlone ? "stay" : "follow", isTouch),
      onDrag: (at) => tools.hover(at),
      onDragEnd: (at, isCancelled) => tools.dragEnd(at, isCancelled),
      onHover: (at) => tools.hover(at),
      onCamera: (camera) => latest.current.onZoom(camera),
    });
    const draw = () => {
      made.setHidden(tools.state().tool.kind === "move" ? session.state().selection : NO_IDS);
      made.setOverlay((brush) => drawOverlay(brush, session, tools));
    };
    const stops = [session.subscribe(draw), tools.subscribe(draw)];
    stage.current = made;
    draw();
    return () => {
      for (const stop of stops) stop();
      made.dispose();
      stage.current = undefined;
      shown.current = undefined;
    };
  }, [session, tools]);

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
    if (!stage.current || !pressed(event, stage.current, props)) return;
    event.preventDefault();
    event.stopPropagation();
  };

  const words = session.selectedItems().map((item) => (sheet ? itemWords(item, sheet) : ""));
  return (
    <div className="schematic-stage-box">
      <div
        ref={host}
        className="schematic-stage"
        data-tool={tool.kind}
        role="application"
        data-takes-keys=""
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes the keys
        tabIndex={0}
        aria-label={`Sheet ${sheet?.sheet?.name ?? sheet?.file ?? ""}`}
        aria-description={KEYS}
        onKeyDown={onKeyDown}
      />
      <p className="sr" role="status">
        {selection.size === 0 ? "" : `Selected: ${words.slice(0, 5).join("; ")}`}
      </p>
    </div>
  );
}

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ...{ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] },
};

const TOOLS: Readonly<Record<string, Tool>> = {
  w: { kind: "wire", points: [] },
  b: { kind: "bus", points: [] },
  l: { kind: "label", scope: "local", text: "", angle: 0 },
  q: { kind: "no-connect" },
  t: { kind: "text", text: "" },
  z: { kind: "bus-entry", angle: 0 },
  s: { kind: "sheet", name: "", file: "" },
  i: { kind: "sheet-pin", name: "" },
};

/** A sheet that is selected is opened. */
function openSelected({ session, onGo }: Props): boolean {
  const [only] = session.state().selection;
  const behind = only === undefined ? undefined : session.sheetBehind(only);
  if (behind) onGo(behind.path);
  return behind !== undefined;
}

/** True when the key did something. */
function pressed(event: KeyboardEvent, stage: Stage, props: Props): boolean {
  const { session, tools } = props;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.altKey) return false;
  if (event.ctrlKey || event.metaKey) return commanded(key, event.shiftKey, props);
  const arrow = ARROWS[key];
  if (arrow) {
    moveCrosshair(arrow, event.shiftKey, stage, tools);
    return true;
  }
  const chosen = TOOLS[key];
  const { sheet } = session.state();
  if (chosen) tools.choose(chosen);
  else if (key === "a" || key === "p") props.onChooseSymbol();
  else if (key === "m") tools.pickUp("stay");
  else if (key === "g") tools.pickUp("follow");
  else if (key === "r") tools.turn(event.shiftKey ? "left" : "right");
  else if (key === "x" || key === "y") tools.turn(key);
  else if (key === "Delete") tools.remove();
  else if (key === "+" || key === "=") stage.zoom(1);
  else if (key === "-") stage.zoom(-1);
  else if (key === "0") stage.fit();
  else if (key === "End") tools.finishLine();
  else if (key === "Enter" || key === " ") enter(event.shiftKey, props);
  else if (key === "Backspace" && sheet?.parent) props.onGo(sheet.parent.path);
  else if (key === "Escape") return tools.cancel();
  else return false;
  return true;
}

function commanded(key: string, isShifted: boolean, { session, onFind, onCopy, onPaste }: Props): boolean {
  if (key === "f") onFind();
  else if (key === "s") void session.save();
  else if (key === "y" || (key === "z" && isShifted)) session.redo();
  else if (key === "z") session.undo();
  else if (key === "c") onCopy();
  else if (key === "v") onPaste();
  else if (key === "a") session.select(session.state().drawn?.itemOf.keys() ?? []);
  else return false;
  return true;
}

/** What is under the crosshair is clicked; a sheet that is selected there already is opened. */
function enter(isMore: boolean, props: Props): void {
  const { tools } = props;
  const { tool, at } = tools.state();
  if (tool.kind === "select" && openSelected(props)) return;
  tools.click(at, NEAR_MM, isMore);
}

function moveCrosshair([dx, dy]: readonly [number, number], isFar: boolean, stage: Stage, tools: Tools): void {
  const { at, hasCrosshair, tool } = tools.state();
  // It begins where somebody looks, unless a tool is somewhere already.
  const from = hasCrosshair || tool.kind !== "select" ? at : stage.middle();
  const step = GRID_MM * (isFar ? 10 : 1);
  tools.hover({ x: from.x + dx * step, y: from.y + dy * step }, true);
  stage.follow(tools.state().at);
}
