import { PANELS_LIMITS } from "@backplane/contract/panels";
import { extensionOf } from "../project-files/paths.ts";

/** Sides of a bounding box, in millimetres. */
type Size = { x: number; y: number; z: number };

/** 120 mm, 4.25 mm, 0.031 mm: three significant digits. */
export function lengthWords(mm: number): string {
  if (mm === 0) return "0 mm";
  if (mm >= 1_000_000 || mm < 0.0005) return `${mm.toExponential(2)} mm`;
  const decimals = mm >= 100 ? 0 : mm >= 10 ? 1 : mm >= 1 ? 2 : 3;
  return `${Number(mm.toFixed(decimals)).toLocaleString("en")} mm`;
}

/** A side this thin, relative to the longest, is only a rounding error. */
const FLAT = 1e-9;

export function sizeOfBox({ x, y, z }: Size): string {
  const longest = Math.max(x, y, z);
  return [x, y, z].map((side) => lengthWords(side < longest * FLAT ? 0 : side)).join(" × ");
}

/** The grid under a model: squares of 1, 2 or 5 units, ten to thirty along its longer side. */
export function gridFor({ x, y, z }: Size): { stepMm: number; squares: number } {
  const longest = Math.max(x, y, z / 2, 1e-6);
  const rough = longest / 12;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const stepMm = ([1, 2, 5].find((factor) => factor * unit >= rough * 0.999) ?? 10) * unit;
  const squares = 2 * Math.ceil((longest * 0.75) / stepMm + 1);
  return { stepMm, squares };
}

export type ViewName = "iso" | "top" | "front" | "side";

/** Where the camera is, seen from the model; z is up. The top view is tilted a little, so that up is defined. */
export const VIEWS: Readonly<Record<ViewName, readonly [x: number, y: number, z: number]>> = {
  iso: [1, -1, 0.9],
  top: [0, -0.0001, 1],
  front: [0, -1, 0],
  side: [1, 0, 0],
};

/** The distance at which a sphere fills the shorter side of the view. */
export function distanceFor(radius: number, fieldOfViewDegrees: number, aspect: number): number {
  const half = (fieldOfViewDegrees * Math.PI) / 360;
  const narrowest = aspect >= 1 ? half : Math.atan(Math.tan(half) * aspect);
  return (radius / Math.sin(narrowest)) * 1.1;
}

export type ModelKind = "stl" | "glb" | "gltf";

/** The largest file that the server gives out. */
export const MAX_MODEL_BYTES = Math.max(PANELS_LIMITS.maxFileBytes, PANELS_LIMITS.maxShotBytes);

const KINDS = new Set<string>(["stl", "glb", "gltf"] satisfies ModelKind[]);

export function kindOf(path: string): ModelKind | undefined {
  const ending = extensionOf(path);
  return KINDS.has(ending) ? (ending as ModelKind) : undefined;
}

export const isModel = (path: string): boolean => kindOf(path) !== undefined;
