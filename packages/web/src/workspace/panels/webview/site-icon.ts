import { PANELS_LIMITS } from "@backplane/contract/panels";
import { MAX_ICON_LENGTH } from "./limits.ts";

const PICTURE = /^data:image\/(?:png|x-icon|vnd\.microsoft\.icon);base64,/;
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const ICO = [0, 0, 1, 0];
/** Signature, then the chunk IHDR: length, name, width, height. */
const [WIDTH_AT, HEIGHT_AT, HEADER_BYTES] = [16, 20, 24];
const HEADER_LENGTH = (HEADER_BYTES / 3) * 4;

/**
 * The icon of a site, if it is certainly quick to draw: our page shows it, and a few kilobytes of SVG, or of a picture with
 * very many pixels, would keep it busy for good. The content decides, as it does for browsers. An ICO has at most 256
 * pixels per side.
 */
export function safeIcon(icon: unknown): string | undefined {
  if (typeof icon !== "string" || icon.length > MAX_ICON_LENGTH) return undefined;
  const [start] = PICTURE.exec(icon) ?? [];
  if (start === undefined) return undefined;
  const header = firstBytes(icon.slice(start.length, start.length + HEADER_LENGTH));
  return begins(header, ICO) || isSmallPng(header) ? icon : undefined;
}

function isSmallPng(header: Uint8Array): boolean {
  if (header.length < HEADER_BYTES || !begins(header, PNG)) return false;
  const view = new DataView(header.buffer);
  return Math.max(view.getUint32(WIDTH_AT), view.getUint32(HEIGHT_AT)) <= PANELS_LIMITS.maxIconSide;
}

const begins = (bytes: Uint8Array, start: readonly number[]): boolean => start.every((byte, at) => bytes[at] === byte);

function firstBytes(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
