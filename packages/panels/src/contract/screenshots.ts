import { type Static, Type } from "typebox";
import { PANELS_LIMITS } from "./limits.ts";
import { NODE_ID } from "./names.ts";

export const ScreenshotRequest = Type.Object({
  scope: Type.Optional(Type.Union([Type.Literal("panel"), Type.Literal("workspace"), Type.Literal("screen")])),
  panelId: Type.Optional(NODE_ID),
  tabId: Type.Optional(NODE_ID),
  /** Of the file, without its size and ending. */
  name: Type.Optional(Type.String({ pattern: "^[a-zA-Z0-9][a-zA-Z0-9 ._-]{0,79}$" })),
  method: Type.Optional(Type.Union([Type.Literal("element-capture"), Type.Literal("html2canvas")])),
  reason: Type.Optional(Type.String({ maxLength: PANELS_LIMITS.maxReasonLength })),
  waitForSharing: Type.Optional(Type.Number({ minimum: 0, maximum: PANELS_LIMITS.maxWaitForSharingS })),
  maxDimension: Type.Optional(Type.Integer({ minimum: 0, maximum: 16_384 })),
  format: Type.Optional(Type.Literal("png")),
  inline: Type.Optional(Type.Boolean()),
});
export type ScreenshotRequest = Static<typeof ScreenshotRequest>;
export type ScreenshotScope = "panel" | "workspace" | "screen";
export type ScreenshotMethod = "element-capture" | "html2canvas";
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
export type DisplaySurface = "browser" | "window" | "monitor";
/** What the browser tells of the surface it shares. */
export type Sharing = {
  active: boolean;
  displaySurface: DisplaySurface | null;
  /** All of them, where a browser shares several at a time. */
  surfaces?: DisplaySurface[];
};
export type ScreenshotStatus = { sharing: Sharing; availableScopes: ScreenshotScope[] };
