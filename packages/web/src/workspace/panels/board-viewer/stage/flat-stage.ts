import { type Side, turn } from "@backplane/kicad/board";
import type { Box } from "@backplane/kicad/drawing";
import type { Point } from "@backplane/kicad/schematic";
import { readPalette } from "../../../parts/plot/palette.ts";
import { onThemeChange } from "../../../parts/theme.ts";
import {
  type Camera,
  centred,
  keptInView,
  panned,
  toSheet,
  whole,
  zoomed,
} from "../../schematic-editor/canvas/camera.ts";
import type { BoardSummary, PaintOrder } from "../worker/messages.ts";
import { ARROWS, type BoardStage, CLICK_PX, isInView, type Marks, NEAR_PX, type StageEvents } from "./stage.ts";

const WHEEL_STEP = 1.0015;
const ZOOM_STEP = 1.3;
const STEP_MM = 1;
const PICKED = "#ffa25c";

type Picture = { bitmap: ImageBitmap; camera: Camera; side: Side };
type Place = Pick<PaintOrder, "width" | "height" | "left" | "top" | "scale" | "isMirrored" | "side">;

/** The board flat on a canvas. The worker paints what is seen; until it has, the last picture is moved. */
export class FlatStage implements BoardStage {
  readonly #host: HTMLElement;
  readonly #board: BoardSummary;
  readonly #events: StageEvents;
  readonly #paint: (place: Place) => Promise<ImageBitmap>;
  readonly #canvas = document.createElement("canvas");
  readonly #observer = new ResizeObserver(() => this.#resize());
  readonly #leaving = new AbortController();
  readonly #stopTheme: () => void;
  readonly #pressed = new Map<number, { from: Point; at: Point; isDrag: boolean }>();
  #size = { width: 0, height: 0 };
  #camera: Camera = { x: 0, y: 0, scale: 1 };
  #isFitted = true;
  #side: Side = "front";
  #marks: Marks = { part: -1, measured: undefined };
  #crosshair: Point | undefined;
  #picture: Picture | undefined;
  #isPainting = false;
  #isStale = true;
  #frame = 0;

  constructor(
    host: HTMLElement,
    board: BoardSummary,
    events: StageEvents,
    paint: (place: Place) => Promise<ImageBitmap>,
  ) {
    this.#host = host;
    this.#board = board;
    this.#events = events;
    this.#paint = paint;
    this.#canvas.setAttribute("aria-hidden", "true");
    host.append(this.#canvas);
    this.#stopTheme = onThemeChange(() => this.#draw());
    this.#listen();
    this.#observer.observe(host);
    this.#resize();
  }

  /** Something else of the board is shown now. */
  repaint(): void {
    this.#isStale = true;
    void this.#paintAgain();
  }

  setSide(side: Side): void {
    if (this.#side === side) return;
    this.#side = side;
    this.fit();
  }

  setMarks(marks: Marks): void {
    this.#marks = marks;
    this.#draw();
  }

  zoom(steps: number): void {
    this.#move(zoomed(this.#camera, ZOOM_STEP ** steps, { x: this.#size.width / 2, y: this.#size.height / 2 }));
  }

  fit(): void {
    this.#isFitted = true;
    this.#look(whole(this.#box(), this.#size));
  }

  reveal(at: Point): void {
    if (!isInView(this.pixelOf(at, 0, this.#side), this.#size))
      this.#move(centred(this.#camera, this.#toView(at), this.#size));
  }

  pixelOf(at: Point, _heightMm: number, side: Side): Point | undefined {
    if (side !== this.#side) return undefined;
    const { x, y } = this.#toView(at);
    return { x: (x - this.#camera.x) * this.#camera.scale, y: (y - this.#camera.y) * this.#camera.scale };
  }

  press(key: string, isShifted: boolean): boolean {
    const arrow = ARROWS[key];
    if (arrow) this.#step(arrow, isShifted);
    else if (key === "Enter" && this.#crosshair) this.#events.onPress(this.#crosshair, this.#near(), -1);
    else if (key === "Escape" && this.#crosshair) this.#crosshair = undefined;
    else return false;
    this.#draw();
    return true;
  }

  picture(): Promise<Blob | null> {
    this.#drawNow();
    return new Promise((resolve) => this.#canvas.toBlob(resolve, "image/png"));
  }

  dispose(): void {
    cancelAnimationFrame(this.#frame);
    this.#leaving.abort();
    this.#observer.disconnect();
    this.#stopTheme();
    this.#picture?.bitmap.close();
    this.#picture = undefined;
    this.#canvas.remove();
  }

  /** Seen from the back, left and right are swapped. */
  #toView = ({ x, y }: Point): Point => ({ x: this.#side === "front" ? x : -x, y });

  #box(): Box {
    const { left, right, top, bottom } = this.#board.outline.box;
    return this.#side === "front" ? { left, right, top, bottom } : { left: -right, right: -left, top, bottom };
  }

  #near = (): number => NEAR_PX / this.#camera.scale;

  #step([sideways, upwards]: readonly [number, number], isFar: boolean): void {
    const { width, height } = this.#size;
    const from = this.#crosshair ?? this.#toView(toSheet(this.#camera, { x: width / 2, y: height / 2 }));
    const step = STEP_MM * (isFar ? 10 : 1) * (this.#side === "front" ? 1 : -1);
    const at = { x: Math.round(from.x) + sideways * step, y: Math.round(from.y) - upwards * Math.abs(step) };
    this.#crosshair = at;
    this.reveal(at);
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.#host;
    if (width === 0 || height === 0) return;
    this.#size = { width, height };
    this.#canvas.width = width * devicePixelRatio;
    this.#canvas.height = height * devicePixelRatio;
    if (this.#isFitted) this.fit();
    else this.repaint();
    this.#drawNow();
  }

  #move(camera: Camera): void {
    this.#isFitted = false;
    this.#look(keptInView(camera, this.#box(), this.#size));
  }

  #look(camera: Camera): void {
    this.#camera = camera;
    this.#draw();
    this.repaint();
  }

  /** One picture at a time: what changed meanwhile is painted with the next one. */
  async #paintAgain(): Promise<void> {
    if (this.#isPainting || !this.#isStale || this.#size.width === 0) return;
    this.#isPainting = true;
    this.#isStale = false;
    const [camera, side, { width, height }] = [this.#camera, this.#side, this.#size];
    const left = side === "front" ? camera.x : -camera.x - width / camera.scale;
    try {
      const bitmap = await this.#paint({
        ...{ left, top: camera.y, scale: camera.scale * devicePixelRatio, side, isMirrored: side === "back" },
        ...{ width: Math.round(width * devicePixelRatio), height: Math.round(height * devicePixelRatio) },
      });
      if (this.#leaving.signal.aborted) return bitmap.close();
      this.#picture?.bitmap.close();
      this.#picture = { bitmap, camera, side };
      this.#host.dataset.painted = String(Number(this.#host.dataset.painted ?? 0) + 1);
      this.#draw();
    } catch {
      // The reader was closed, or the board replaced: there is nothing to paint any more.
    } finally {
      this.#isPainting = false;
    }
    void this.#paintAgain();
  }

  #draw(): void {
    this.#frame ||= requestAnimationFrame(() => this.#drawNow());
  }

  #drawNow(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const brush = this.#canvas.getContext("2d");
    if (!brush) return;
    const { width, height } = this.#size;
    brush.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    brush.fillStyle = readPalette(this.#host).colour("sunken");
    brush.fillRect(0, 0, width, height);
    if (this.#picture && this.#picture.side === this.#side) {
      const { bitmap, camera } = this.#picture;
      const scale = this.#camera.scale / camera.scale;
      const [x, y] = [
        (camera.x - this.#camera.x) * this.#camera.scale,
        (camera.y - this.#camera.y) * this.#camera.scale,
      ];
      brush.drawImage(
        bitmap,
        x,
        y,
        (bitmap.width / devicePixelRatio) * scale,
        (bitmap.height / devicePixelRatio) * scale,
      );
    }
    this.#drawMarks(brush);
    this.#events.onMoved();
  }

  #drawMarks(brush: CanvasRenderingContext2D): void {
    const line = (points: readonly Point[], isClosed: boolean) => {
      brush.beginPath();
      for (const point of points) {
        const { x = 0, y = 0 } = this.pixelOf(point, 0, this.#side) ?? {};
        brush.lineTo(x, y);
      }
      if (isClosed) brush.closePath();
      brush.stroke();
    };
    brush.strokeStyle = PICKED;
    brush.lineWidth = 2;
    const yard = this.#board.parts[this.#marks.part]?.yard;
    if (yard) {
      const [w, h] = [yard.widthMm / 2, yard.heightMm / 2];
      const corners = [
        [-w, -h],
        [w, -h],
        [w, h],
        [-w, h],
      ].map(([x = 0, y = 0]) => {
        const turned = turn({ x, y }, yard.angle);
        return { x: yard.at.x + turned.x, y: yard.at.y + turned.y };
      });
      line(corners, true);
    }
    brush.strokeStyle = "#ffffff";
    const { measured } = this.#marks;
    const cross = (at: Point, size: number) => {
      line(
        [
          { x: at.x - size, y: at.y },
          { x: at.x + size, y: at.y },
        ],
        false,
      );
      line(
        [
          { x: at.x, y: at.y - size },
          { x: at.x, y: at.y + size },
        ],
        false,
      );
    };
    brush.lineWidth = 1.5;
    if (measured) for (const at of [measured.from, measured.to]) if (at) cross(at, 5 / this.#camera.scale);
    if (measured?.to) line([measured.from, measured.to], false);
    if (this.#crosshair) cross(this.#crosshair, 12 / this.#camera.scale);
  }

  #listen(): void {
    const { signal } = this.#leaving;
    const on = <Type extends keyof HTMLElementEventMap>(type: Type, run: (event: HTMLElementEventMap[Type]) => void) =>
      this.#canvas.addEventListener(type, run, { signal, passive: false });
    on("wheel", (event) => {
      event.preventDefault();
      this.#move(zoomed(this.#camera, WHEEL_STEP ** -event.deltaY, this.#placeOf(event)));
    });
    on("pointerdown", (event) => {
      this.#canvas.setPointerCapture(event.pointerId);
      const at = this.#placeOf(event);
      this.#pressed.set(event.pointerId, { from: at, at, isDrag: this.#pressed.size > 0 });
    });
    on("pointermove", (event) => this.#drag(event));
    on("pointerup", (event) => this.#release(event));
    on("pointercancel", (event) => this.#pressed.delete(event.pointerId));
  }

  #drag(event: PointerEvent): void {
    const press = this.#pressed.get(event.pointerId);
    if (!press) return;
    const [before, at] = [press.at, this.#placeOf(event)];
    press.at = at;
    press.isDrag ||= Math.hypot(at.x - press.from.x, at.y - press.from.y) >= CLICK_PX;
    const other = [...this.#pressed].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const apart = (one: Point) => Math.hypot(one.x - other.at.x, one.y - other.at.y) || 1;
      this.#move(zoomed(this.#camera, apart(at) / apart(before), other.at));
    } else if (press.isDrag) this.#move(panned(this.#camera, at.x - before.x, at.y - before.y));
  }

  #release(event: PointerEvent): void {
    const press = this.#pressed.get(event.pointerId);
    this.#pressed.delete(event.pointerId);
    if (!press || press.isDrag) return;
    this.#crosshair = undefined;
    this.#host.focus();
    this.#events.onPress(this.#toView(toSheet(this.#camera, press.at)), this.#near(), -1);
  }

  #placeOf(event: MouseEvent): Point {
    const { left, top } = this.#host.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }
}
