import { type Static, Type } from "typebox";
import { NODE_ID, nullable } from "./common.ts";
import { PANELS_LIMITS } from "./limits.ts";

const SCREENSHOT_SCOPE = Type.Union([Type.Literal("panel"), Type.Literal("workspace"), Type.Literal("screen")]);
const SCREENSHOT_METHOD = Type.Union([Type.Literal("element-capture"), Type.Literal("html2canvas")]);
export type ScreenshotScope = Static<typeof SCREENSHOT_SCOPE>;
export type ScreenshotMethod = Static<typeof SCREENSHOT_METHOD>;

/** PATCH …/current/screenshot */
export const ScreenshotRequest = Type.Object({
  scope: Type.Optional(SCREENSHOT_SCOPE),
  panelId: Type.Optional(NODE_ID),
  tabId: Type.Optional(NODE_ID),
  /** Name of the file, without its size and ending. */
  name: Type.Optional(Type.String({ pattern: "^[a-zA-Z0-9][a-zA-Z0-9 ._-]{0,79}$" })),
  method: Type.Optional(SCREENSHOT_METHOD),
  reason: Type.Optional(Type.String({ maxLength: PANELS_LIMITS.maxReasonLength })),
  waitForSharing: Type.Optional(Type.Number({ minimum: 0, maximum: PANELS_LIMITS.maxWaitForSharingS })),
  maxDimension: Type.Optional(Type.Integer({ minimum: 0, maximum: 16_384 })),
  format: Type.Optional(Type.Literal("png")),
  inline: Type.Optional(Type.Boolean()),
});
export type ScreenshotRequest = Static<typeof ScreenshotRequest>;
export const Screenshot = Type.Object({
  /** In the project's folder: screenshots/… */
  path: Type.String(),
  url: Type.String(),
  width: Type.Integer(),
  height: Type.Integer(),
  originalWidth: Type.Integer(),
  originalHeight: Type.Integer(),
  scale: Type.Number(),
  scope: Type.String(),
  method: Type.String(),
  mimeType: Type.String(),
  size: Type.Integer(),
  dataUrl: Type.Optional(Type.String()),
});
export type Screenshot = Static<typeof Screenshot>;

export const DISPLAY_SURFACES = ["browser", "window", "monitor"] as const;
export type DisplaySurface = (typeof DISPLAY_SURFACES)[number];
const DISPLAY_SURFACE = Type.Enum(DISPLAY_SURFACES);
/** What a browser shares of its screen. */
export const Sharing = Type.Object({
  active: Type.Boolean(),
  displaySurface: nullable(DISPLAY_SURFACE),
  /** All of them, when a browser shares several at once. */
  surfaces: Type.Optional(Type.Array(DISPLAY_SURFACE)),
});
export type Sharing = Static<typeof Sharing>;
/** GET …/current/screenshot */
export const ScreenshotStatus = Type.Object({ sharing: Sharing, availableScopes: Type.Array(SCREENSHOT_SCOPE) });
export type ScreenshotStatus = Static<typeof ScreenshotStatus>;
