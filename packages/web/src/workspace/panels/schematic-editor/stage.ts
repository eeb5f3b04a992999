import type { Box, Drawn } from "@backplane/kicad/drawing";
import type { Point } from "@backplane/kicad/schematic";
import { onTheme } from "../../parts/plot/palette.ts";
import { type Camera, centred, keptInView, panned, seenBox, toSheet, whole, zoomed } from "./canvas/camera.ts";
import { looksOf } from "./canvas/paint.ts";
import { type Overlay, SheetCanvas } from "./canvas/sheet-canvas.ts";

/** What somebody does on the sheet, in its coordinates. */
export type StageEvents = {
  /** `within`: how far from an item is still on it. */
  onClick(at: Point, within: number, isMore: boolean): void;
  onDoubleClick(at: Point, within: number): void;
  /** The pointer is pressed and moves: true when that does something, otherwise the sheet moves. */
  onDragStart(at: Point, within: number, isMore: boolean, isTouch: boolean): boolean;
  onDrag(at: Point): void;
  onDragEnd(at: Point, isCancelled: boolean): void;
  onHover(at: Point): void;
  onCamera(camera: Camera): void;
};

const CLICK_PX = 4;
const NEAR_PX = 6;
const NEAR_TOUCH_PX = 16;
const WHEEL_STEP = 1.0015;
const STEP = 1.25;

type Press = { id: number; from: Point; at: Point; way: "waiting" | "drag" | "pan" };

/** The canvas of the sheet that is shown, with the pointers on it. */
export class Stage {
  readonly #host: HTMLElement;
  readonly #events: StageEvents;
  readonly #canvas: SheetCanvas;
  readonly #observer: ResizeObserver;
  readonly #leaving = new AbortController();
  readonly #stopTheme: () => void;
  readonly #presses = new Map<number, Press>();
  #camera: Camera = { x: 0, y: 0, scale: 1 };
  #box: Box = { left: 0, top: 0, right: 297, bottom: 210 };
  #size = { width: 0, height: 0 };
  #isFitted = true;

  constructor(host: HTMLElement, events: StageEvents) {
    this.#host = host;
    this.#events = events;
    const canvas = document.createElement("canvas");
    host.append(canvas);
    this.#canvas = new SheetCanvas(canvas, looksOf(host));
    this.#stopTheme = onTheme(() => this.#canvas.setLooks(looksOf(host)));
    this.#observer = new ResizeObserver(() => this.#resize());
    this.#observer.observe(host);
    this.#resize();
    this.#listen();
  }

  /** Another sheet is seen whole; another state of the same one where it was. */
  show(items: readonly Drawn[], box: Box, isOther: boolean): void {
    this.#box = box;
    this.#canvas.setItems(items);
    if (isOther) this.fit();
  }

  setOverlay(overlay: Overlay): void {
    this.#canvas.setOverlay(overlay);
  }

  setHidden(ids: ReadonlySet<string>): void {
    this.#canvas.setHidden(ids);
  }

  find(box: Box): Drawn[] {
    return this.#canvas.find(box);
  }

  fit(): void {
    this.#isFitted = true;
    this.#look(whole(this.#box, this.#size));
  }

  /** A part of the sheet, not larger than anybody needs it. */
  reveal(box: Box): void {
    const close = whole(box, this.#size);
    const middle = { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
    const seen = seenBox(this.#camera, this.#size);
    const isSeen = seen.left < box.left && box.right < seen.right && seen.top < box.top && box.bottom < seen.bottom;
    const scale = Math.min(Math.max(this.#camera.scale, 4), close.scale);
    if (!isSeen || this.#camera.scale < 3) this.#move(centred({ ...this.#camera, scale }, middle, this.#size));
  }

  /** Moves the view only as far as it must for a place to be seen. */
  follow(at: Point): void {
    const seen = seenBox(this.#camera, this.#size);
    const margin = 24 / this.#camera.scale;
    const beyond = (value: number, low: number, high: number) =>
      value < low + margin ? value - low - margin : value > high - margin ? value - high + margin : 0;
    const [x, y] = [beyond(at.x, seen.left, seen.right), beyond(at.y, seen.top, seen.bottom)];
    if (x !== 0 || y !== 0) this.#move({ ...this.#camera, x: this.#camera.x + x, y: this.#camera.y + y });
  }

  zoom(steps: number): void {
    const { width, height } = this.#size;
    this.#move(zoomed(this.#camera, STEP ** steps, { x: width / 2, y: height / 2 }));
  }

  pan(dxPx: number, dyPx: number): void {
    this.#move(panned(this.#camera, dxPx, dyPx));
  }

  /** The middle of what is seen. */
  middle(): Point {
    return toSheet(this.#camera, { x: this.#size.width / 2, y: this.#size.height / 2 });
  }

  scale(): number {
    return this.#camera.scale;
  }

  dispose(): void {
    this.#leaving.abort();
    this.#observer.disconnect();
    this.#stopTheme();
    this.#canvas.dispose();
    this.#host.replaceChildren();
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.#host;
    if (width === 0 || height === 0) return;
    this.#size = { width, height };
    if (this.#isFitted) this.#look(whole(this.#box, this.#size));
    this.#canvas.setSize(width, height);
  }

  #move(camera: Camera): void {
    this.#isFitted = false;
    this.#look(keptInView(camera, this.#box, this.#size));
  }

  #look(camera: Camera): void {
    this.#camera = camera;
    this.#canvas.setCamera(camera);
    this.#events.onCamera(camera);
  }

  #listen(): void {
    const { signal } = this.#leaving;
    const on = <Type extends keyof HTMLElementEventMap>(type: Type, run: (event: HTMLElementEventMap[Type]) => void) =>
      this.#host.addEventListener(type, run, { signal, passive: false });
    on("wheel", (event) => this.#wheel(event));
    on("pointerdown", (event) => this.#down(event));
    on("pointermove", (event) => this.#pointerMove(event));
    on("pointerup", (event) => this.#up(event, false));
    on("pointercancel", (event) => this.#up(event, true));
    on("dblclick", (event) => this.#events.onDoubleClick(...this.#at(this.#place(event), "mouse")));
    on("contextmenu", (event) => event.preventDefault());
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    // Pinching on a touchpad comes as a wheel with Control, in small steps.
    const factor = WHEEL_STEP ** (-event.deltaY * lines * (event.ctrlKey ? 4 : 1));
    if (event.shiftKey) this.#move(panned(this.#camera, -event.deltaY - event.deltaX, 0));
    else this.#move(zoomed(this.#camera, factor, this.#place(event)));
  }

  #down(event: PointerEvent): void {
    const at = this.#place(event);
    const way = event.button === 1 || event.button === 2 ? "pan" : "waiting";
    this.#host.setPointerCapture(event.pointerId);
    this.#presses.set(event.pointerId, { id: event.pointerId, from: at, at, way });
    // A second finger makes it a pinch: what the first one began is taken back.
    if (this.#presses.size > 1) for (const press of this.#presses.values()) this.#toPan(press);
    if (event.button === 1) event.preventDefault();
  }

  #toPan(press: Press): void {
    if (press.way === "drag") this.#events.onDragEnd(toSheet(this.#camera, press.at), true);
    press.way = "pan";
  }

  #pointerMove(event: PointerEvent): void {
    const at = this.#place(event);
    const press = this.#presses.get(event.pointerId);
    if (!press) this.#events.onHover(toSheet(this.#camera, at));
    else {
      const before = press.at;
      press.at = at;
      if (this.#presses.size === 2) this.#pinch(press, before);
      else this.#dragged(press, before, event);
    }
  }

  #dragged(press: Press, before: Point, event: PointerEvent): void {
    const { at } = press;
    if (press.way === "waiting") {
      if (Math.hypot(at.x - press.from.x, at.y - press.from.y) < CLICK_PX) return;
      const [from, within] = this.#at(press.from, event.pointerType);
      const isTaken = this.#events.onDragStart(from, within, event.shiftKey, event.pointerType === "touch");
      press.way = isTaken ? "drag" : "pan";
    }
    if (press.way === "drag") this.#events.onDrag(toSheet(this.#camera, at));
    else this.#move(panned(this.#camera, at.x - before.x, at.y - before.y));
  }

  #pinch(moved: Press, before: Point): void {
    const other = [...this.#presses.values()].find(({ id }) => id !== moved.id);
    if (!other) return;
    const distance = (one: Point) => Math.hypot(one.x - other.at.x, one.y - other.at.y) || 1;
    const middle = { x: (moved.at.x + other.at.x) / 2, y: (moved.at.y + other.at.y) / 2 };
    const shifted = panned(this.#camera, (moved.at.x - before.x) / 2, (moved.at.y - before.y) / 2);
    this.#move(zoomed(shifted, distance(moved.at) / distance(before), middle));
  }

  #up(event: PointerEvent, isCancelled: boolean): void {
    const press = this.#presses.get(event.pointerId);
    this.#presses.delete(event.pointerId);
    if (!press) return;
    const at = toSheet(this.#camera, this.#place(event));
    if (press.way === "drag") this.#events.onDragEnd(at, isCancelled);
    else if (press.way === "waiting" && !isCancelled)
      this.#events.onClick(...this.#at(press.from, event.pointerType), event.shiftKey);
  }

  #at(place: Point, pointer: string): [at: Point, within: number] {
    return [toSheet(this.#camera, place), (pointer === "touch" ? NEAR_TOUCH_PX : NEAR_PX) / this.#camera.scale];
  }

  #place(event: MouseEvent): Point {
    const { left, top } = this.#host.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }
}
