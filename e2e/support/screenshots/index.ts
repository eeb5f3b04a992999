import { heldOutSet } from "./held-out.ts";
import type { ScreenshotSpec } from "./spec.ts";
import { tuningSet } from "./tuning.ts";

export { heldOutSet } from "./held-out.ts";
export { renderScreenshots } from "./render.ts";
export { describesSubject, leakedSecret, type ScreenshotSpec } from "./spec.ts";

export function screenshotSet(): ScreenshotSpec[] {
  return [...tuningSet(), ...heldOutSet()];
}
