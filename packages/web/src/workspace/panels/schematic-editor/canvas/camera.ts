import type { Box } from "@backplane/kicad/drawing";
import type { Point } from "@backplane/kicad/schematic";

/** What is seen of a sheet: the place at the left top in mm, and pixels of the page per mm. */
export type Camera = { x: number; y: number; scale: number };
type Size = { width: number; height: number };

/** 100 % shows a sheet about as large as it is on paper. */
const PX_PER_MM = 96 / 25.4;
const MIN_SCALE = 0.05 * PX_PER_MM;
const MAX_SCALE = 40 * PX_PER_MM;
const FIT_MARGIN_PX = 12;
/** So much of the sheet stays in view. */
const KEPT_PX = 48;

export const zoomPercent = ({ scale }: Camera): number => Math.round((scale / PX_PER_MM) * 100);

export const toSheet = ({ x, y, scale }: Camera, at: Point): Point => ({ x: x + at.x / scale, y: y + at.y / scale });

export const seenBox = ({ x, y, scale }: Camera, { width, height }: Size): Box => ({
  ...{ left: x, top: y, right: x + width / scale, bottom: y + height / scale },
});

/** All of a box, in the middle. */
export function whole({ left, top, right, bottom }: Box, { width, height }: Size): Camera {
  const [wide, high] = [Math.max(right - left, 1), Math.max(bottom - top, 1)];
  const room = (length: number) => Math.max(length - 2 * FIT_MARGIN_PX, 1);
  const scale = limited(Math.min(room(width) / wide, room(height) / high));
  return centred({ x: 0, y: 0, scale }, { x: (left + right) / 2, y: (top + bottom) / 2 }, { width, height });
}

export const centred = ({ scale }: Camera, { x, y }: Point, { width, height }: Size): Camera => ({
  ...{ x: x - width / scale / 2, y: y - height / scale / 2, scale },
});

export const panned = (camera: Camera, dxPx: number, dyPx: number): Camera => ({
  ...camera,
  ...{ x: camera.x - dxPx / camera.scale, y: camera.y - dyPx / camera.scale },
});

/** The place under `at`, in pixels, stays where it is. */
export function zoomed(camera: Camera, factor: number, at: Point): Camera {
  const scale = limited(camera.scale * factor);
  const { x, y } = toSheet(camera, at);
  return { x: x - at.x / scale, y: y - at.y / scale, scale };
}

/** Never so far away that nothing of the sheet is seen. */
export function keptInView(camera: Camera, box: Box, { width, height }: Size): Camera {
  const kept = KEPT_PX / camera.scale;
  const within = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);
  return {
    ...camera,
    x: within(camera.x, box.left + kept - width / camera.scale, box.right - kept),
    y: within(camera.y, box.top + kept - height / camera.scale, box.bottom - kept),
  };
}

const limited = (scale: number): number => Math.min(Math.max(scale, MIN_SCALE), MAX_SCALE);
