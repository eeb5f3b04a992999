import { addSheetPin, labelsWithoutPin, placeSymbolIn } from "@backplane/kicad/design-edits";
import { type Drawn, itemsAt, itemsWithin } from "@backplane/kicad/drawing";
import {
  addBusEntry,
  addLabel,
  addNoConnect,
  addText,
  connectionPoints,
  drawBus,
  drawWire,
  moveItems,
  type NewLabel,
  removeItems,
  rightAngled,
  type Turn,
  turnItems,
} from "@backplane/kicad/edits";
import { fieldText, type Item, type LibrarySymbol, type Point } from "@backplane/kicad/schematic";
import { createStore } from "../../store.ts";
import type { Session } from "./session.ts";

export type Tool =
  | { kind: "select" }
  | { kind: "wire" | "bus"; points: readonly Point[] }
  | { kind: "label"; scope: NewLabel["scope"]; text: string; angle: number }
  | { kind: "text"; text: string }
  | { kind: "no-connect" }
  | { kind: "bus-entry"; angle: number }
  /** `from` is its first corner. */
  | { kind: "sheet"; name: string; file: string; from?: Point | undefined }
  /** Without a name, the next label of the sheet that has no pin yet. */
  | { kind: "sheet-pin"; name: string }
  | { kind: "symbol"; libId: string; symbol: LibrarySymbol; angle: number }
  /** The selection is at the pointer. */
  | { kind: "move"; from: Point; wires: "follow" | "stay" }
  | { kind: "frame"; from: Point };

export type ToolState = {
  tool: Tool;
  /** Where the pointer or the crosshair of the keyboard is, on the grid. */
  at: Point;
  /** It was moved by keys. */
  hasCrosshair: boolean;
};

export const GRID_MM = 1.27;
const onGrid = (value: number): number => Math.round(Math.round(value / GRID_MM) * GRID_MM * 10_000) / 10_000;
const snapped = ({ x, y }: Point): Point => ({ x: onGrid(x), y: onGrid(y) });
const newUuid = (): string => crypto.randomUUID();

/** What the pointer and the keys do on the sheet. */
export class Tools {
  readonly #session: Session;
  readonly #store = createStore<ToolState>({ tool: { kind: "select" }, at: { x: 0, y: 0 }, hasCrosshair: false });
  readonly state = this.#store.state;
  readonly subscribe = this.#store.subscribe;
  #pointer: Point = { x: 0, y: 0 };

  constructor(session: Session) {
    this.#session = session;
  }

  /** Tools that change something are refused where the file can only be looked at. */
  choose(tool: Tool): void {
    const reason = tool.kind === "select" || tool.kind === "frame" ? undefined : this.#session.readOnly();
    if (reason !== undefined) this.#session.say(reason);
    else this.#store.update({ tool });
  }

  /** Takes what is selected to the pointer, by its middle. */
  pickUp(wires: "follow" | "stay"): void {
    const from = centerOf(this.#session.selectedItems(), this.#session.selectedDrawn());
    if (!from) return;
    this.choose({ kind: "move", from, wires });
    this.#store.update({ at: from });
  }

  /** Where the pointer really is. */
  pointer(): Point {
    return this.#pointer;
  }

  hover(at: Point, isKeyboard = false): void {
    this.#pointer = at;
    const place = this.#snap(at);
    const before = this.state();
    if (before.tool.kind === "frame") this.#store.update({ at: place });
    else if (before.at.x === place.x && before.at.y === place.y && before.hasCrosshair === isKeyboard) return;
    else this.#store.update({ at: place, hasCrosshair: isKeyboard });
  }

  /** Ends one thing: the last corner of a wire, then the tool, then the selection. True when there was something to end. */
  cancel(): boolean {
    const { tool } = this.state();
    if ((tool.kind === "wire" || tool.kind === "bus") && tool.points.length > 0)
      this.#store.update({ tool: { ...tool, points: tool.points.slice(0, -1) } });
    else if (tool.kind === "sheet" && tool.from) this.#store.update({ tool: { ...tool, from: undefined } });
    else if (tool.kind !== "select") this.#store.update({ tool: { kind: "select" } });
    else if (this.#session.state().selection.size > 0) this.#session.select([]);
    else if (this.#session.state().net !== undefined) this.#session.highlight(undefined);
    else return false;
    return true;
  }

  click(point: Point, within: number, isMore: boolean): void {
    const { tool } = this.state();
    const at = this.#snap(point);
    if (tool.kind === "select" || tool.kind === "frame") this.#select(point, within, isMore);
    else if (tool.kind === "wire" || tool.kind === "bus") this.#corner(tool, at);
    else if (tool.kind === "move") this.drop(at);
    else if (tool.kind === "no-connect") this.#session.edit((schematic) => addNoConnect(schematic, at, newUuid));
    else if (tool.kind === "label") {
      const { scope, text, angle } = tool;
      this.#session.edit((schematic) => addLabel(schematic, { scope, text, angle, at }, newUuid));
    } else if (tool.kind === "text") {
      if (tool.text.trim() === "") this.#session.say("Type the text first.");
      else this.#session.edit((schematic) => addText(schematic, tool.text, at, newUuid));
    } else if (tool.kind === "symbol") this.#place(tool, at);
    else if (tool.kind === "bus-entry") {
      const size = busEntrySize(tool.angle);
      this.#session.edit((schematic) => addBusEntry(schematic, at, size, newUuid));
    } else if (tool.kind === "sheet") this.#sheetCorner(tool, at);
    else if (tool.kind === "sheet-pin") this.#addPin(tool.name.trim(), point, within);
  }

  doubleClick(): void {
    const { tool } = this.state();
    if (tool.kind === "wire" || tool.kind === "bus") this.finishLine();
  }

  /** Ends a wire or bus where it is. */
  finishLine(): void {
    const { tool, at } = this.state();
    if (tool.kind !== "wire" && tool.kind !== "bus") return;
    const points = withNext(tool.points, at);
    if (points.length > 1) this.#drawLine(tool.kind, points);
    this.#store.update({ tool: { kind: tool.kind, points: [] } });
  }

  dragStart(point: Point, within: number, wires: "follow" | "stay", isTouch: boolean): boolean {
    const { tool } = this.state();
    if (tool.kind !== "select") return tool.kind === "frame";
    const found = this.#at(point, within);
    const { selection } = this.#session.state();
    const taken = found.find(({ id }) => selection.has(id)) ?? (isTouch ? undefined : found[0]);
    if (!taken) {
      if (isTouch) return false;
      this.#store.update({ tool: { kind: "frame", from: point } });
      return true;
    }
    if (!selection.has(taken.id)) this.#session.select([taken.id]);
    this.#store.update({ at: snapped(point) });
    this.choose({ kind: "move", from: snapped(point), wires });
    return this.state().tool.kind === "move";
  }

  dragEnd(point: Point, isCancelled: boolean): void {
    const { tool } = this.state();
    if (isCancelled) this.#store.update({ tool: { kind: "select" } });
    else if (tool.kind === "move") this.drop(this.state().at);
    else if (tool.kind === "frame") {
      this.#session.select(itemsWithin(this.#session.state().drawn?.items ?? [], tool.from, point).map(({ id }) => id));
      this.#store.update({ tool: { kind: "select" } });
    }
  }

  /** Puts down what was picked up. */
  drop(at: Point): void {
    const { tool } = this.state();
    if (tool.kind !== "move") return;
    this.#store.update({ tool: { kind: "select" } });
    const delta = { x: onGrid(at.x - tool.from.x), y: onGrid(at.y - tool.from.y) };
    const items = this.#session.selectedItems();
    this.#session.edit((schematic) => moveItems(schematic, items, delta, { wires: tool.wires, newUuid }));
  }

  turn(turn: Turn): void {
    const { tool } = this.state();
    if (tool.kind === "symbol" || tool.kind === "label" || tool.kind === "bus-entry") {
      const step = turn === "right" ? 270 : turn === "left" ? 90 : 180;
      this.#store.update({ tool: { ...tool, angle: (tool.angle + step) % 360 } });
      return;
    }
    const items = this.#session.selectedItems();
    const center = centerOf(items, this.#session.selectedDrawn());
    if (center) this.#session.edit((schematic) => turnItems(schematic, items, center, turn));
  }

  remove(): void {
    const items = this.#session.selectedItems();
    if (items.length > 0) this.#session.edit((schematic) => removeItems(schematic, items));
  }

  /** The line that would be drawn, from its beginning to the pointer. */
  linePreview(): Point[] {
    const { tool, at } = this.state();
    return tool.kind === "wire" || tool.kind === "bus" ? withNext(tool.points, at) : [];
  }

  #at(point: Point, within: number): Drawn[] {
    return itemsAt(this.#session.state().drawn?.items ?? [], point, within);
  }

  /** A pin or the end of a wire draws the pointer to it; otherwise the grid does. */
  #snap(point: Point): Point {
    const place = snapped(point);
    const { tool } = this.state();
    if (tool.kind !== "wire" && tool.kind !== "no-connect" && tool.kind !== "label") return place;
    let nearest = { at: place, far: GRID_MM * 0.8 };
    for (const { id } of this.#at(point, GRID_MM)) {
      const item = this.#session.state().drawn?.itemOf.get(id);
      for (const { at } of item ? connectionPoints(item) : []) {
        const far = Math.hypot(at.x - point.x, at.y - point.y);
        if (far < nearest.far) nearest = { at, far };
      }
    }
    return nearest.at;
  }

  /** Whether a wire ends here: at a pin, at another wire, at a label. */
  #isEnd(at: Point): boolean {
    return this.#at(at, 0.01).some(({ id }) => {
      const item = this.#session.state().drawn?.itemOf.get(id);
      if (!item) return false;
      return item.kind === "wire" || connectionPoints(item).some((point) => isSame(point.at, at));
    });
  }

  #select(point: Point, within: number, isMore: boolean): void {
    const found = this.#at(point, within);
    const { selection } = this.#session.state();
    // A second click at the same place takes what is below.
    const place = selection.size === 1 && !isMore ? found.findIndex(({ id }) => selection.has(id)) : -1;
    const next = found[(place + 1) % Math.max(found.length, 1)];
    if (!next) {
      if (!isMore) this.#session.select([]);
    } else if (!isMore) this.#session.select([next.id]);
    else if (selection.has(next.id)) this.#session.select([...selection].filter((id) => id !== next.id));
    else this.#session.select([...selection, next.id]);
  }

  #corner(tool: Extract<Tool, { kind: "wire" | "bus" }>, at: Point): void {
    const points = withNext(tool.points, at);
    const last = tool.points.at(-1);
    const isDone = tool.kind === "wire" && last !== undefined && !isSame(last, at) && this.#isEnd(at);
    if (!isDone) this.#store.update({ tool: { kind: tool.kind, points } });
    else {
      this.#drawLine("wire", points);
      this.#store.update({ tool: { kind: "wire", points: [] } });
    }
  }

  #drawLine(kind: "wire" | "bus", points: readonly Point[]): void {
    this.#session.edit((schematic) => (kind === "wire" ? drawWire : drawBus)(schematic, points, newUuid));
  }

  #place({ libId, symbol, angle }: Extract<Tool, { kind: "symbol" }>, at: Point): void {
    const reference = `${(fieldText(symbol.fields, "Reference") ?? "U").replace(/\?$/, "")}?`;
    const placement = { libId, at, angle, reference };
    this.#session.editFiles((design, sheet) => placeSymbolIn(design, sheet, symbol, placement, newUuid), {
      selectsNew: true,
    });
  }

  #sheetCorner(tool: Extract<Tool, { kind: "sheet" }>, at: Point): void {
    if (!tool.from) {
      if (tool.name.trim() === "") this.#session.say("Type the name of the sheet first.");
      else this.#store.update({ tool: { ...tool, from: at } });
      return;
    }
    const { name, from } = tool;
    const corner = { x: Math.min(from.x, at.x), y: Math.min(from.y, at.y) };
    const size = { x: onGrid(Math.abs(from.x - at.x)), y: onGrid(Math.abs(from.y - at.y)) };
    const box = { name: name.trim(), file: sheetFile(tool), at: corner, size };
    this.#store.update({ tool: { kind: "sheet", name: "", file: "" } });
    void this.#session.addSheet(box, newUuid);
  }

  #addPin(typed: string, point: Point, within: number): void {
    const { drawn } = this.#session.state();
    const near = this.#at(point, Math.max(within, GRID_MM));
    const id = near.find((each) => drawn?.itemOf.get(each.id)?.kind === "sheet")?.id ?? "";
    const sheet = drawn?.itemOf.get(id);
    if (sheet?.kind !== "sheet") {
      this.#session.say("Click the edge of a sheet.");
      return;
    }
    const behind = this.#session.sheetBehind(id);
    const open = behind ? labelsWithoutPin(sheet, behind.schematic) : [];
    const pin = open.find(({ name }) => typed === "" || name === typed) ?? { name: typed, shape: "input" };
    if (pin.name === "")
      this.#session.say(`Every hierarchical label of ${sheet.name} has a pin. Type a name for a new one.`);
    else this.#session.edit((schematic) => addSheetPin(schematic, sheet, { ...pin, at: snapped(point) }, newUuid));
  }
}

/** As typed, or from the name of the sheet. */
export function sheetFile({ name, file }: { name: string; file: string }): string {
  const typed =
    file.trim() ||
    name
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]{1,100}/gu, "-");
  return typed.endsWith(".kicad_sch") ? typed : `${typed}.kicad_sch`;
}

const BUS_ENTRY_MM = 2.54;

/** From the place of a bus entry to its other end. */
export function busEntrySize(angle: number): Point {
  const isLeft = angle === 180 || angle === 270;
  const isDown = angle === 90 || angle === 180;
  return { x: isLeft ? -BUS_ENTRY_MM : BUS_ENTRY_MM, y: isDown ? BUS_ENTRY_MM : -BUS_ENTRY_MM };
}

const isSame = (a: Point, b: Point): boolean => Math.abs(a.x - b.x) < 1e-4 && Math.abs(a.y - b.y) < 1e-4;

/** The corners so far, and those to the next place. */
function withNext(points: readonly Point[], at: Point): Point[] {
  const last = points.at(-1);
  if (!last) return [at];
  const isWide = Math.abs(at.x - last.x) >= Math.abs(at.y - last.y);
  return [...points, ...rightAngled(last, at, isWide ? "across" : "upright").slice(1)];
}

/** One symbol turns around its own place, several items around their middle. */
function centerOf(items: readonly Item[], drawn: readonly Drawn[]): Point | undefined {
  const [only] = items;
  if (only && items.length === 1 && "at" in only) return only.at;
  const boxes = drawn.map(({ body }) => body);
  if (boxes.length === 0) return undefined;
  const middle = (low: number[], high: number[]) => (Math.min(...low) + Math.max(...high)) / 2;
  return snapped({
    x: middle(
      boxes.map(({ left }) => left),
      boxes.map(({ right }) => right),
    ),
    y: middle(
      boxes.map(({ top }) => top),
      boxes.map(({ bottom }) => bottom),
    ),
  });
}
