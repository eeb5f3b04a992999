import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { deflateSync } from "node:zlib";
import sharp, { type Colour } from "sharp";
import type { Upload } from "../services.ts";
import { writeChunks } from "./png.ts";

export const temporaryFolder = (t: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), "backplane-images-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

let uploads = 0;
/** A complete upload in its own file. */
export function uploadOf(folder: string, image: Buffer | string): Upload {
  uploads += 1;
  const path = join(folder, `upload-${uploads}`);
  if (typeof image === "string") copyFileSync(image, path);
  else writeFileSync(path, image);
  return { path, bytes: statSync(path).size, title: null, instance: null, receivedAtMs: 0 };
}

/** Like a screenshot: windows, lines and text, few colours, soft edges. */
export function drawnScreen(width: number, height: number): Promise<Buffer> {
  const rows = Array.from({ length: Math.ceil(height / 24) }, (_, row) => {
    const text = `row ${row} of ${"a screen with words ".repeat(1 + (row % 5))}`;
    return `<text x="${8 + (row % 3) * 12}" y="${row * 24 + 17}" font-size="15" fill="hsl(${row * 37},60%,40%)">${text}</text>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#f6f6f8"/><rect x="4" y="4" width="60%" height="40%" rx="9" fill="#dde"/>${rows.join("")}</svg>`;
  return sharp(Buffer.from(svg)).removeAlpha().png().toBuffer();
}

/** Every pixel has another colour; the same ones in each run. */
export function noise(width: number, height: number, channels: 3 | 4 = 3): Buffer {
  const bytes = Buffer.alloc(width * height * channels);
  let state = 12_345;
  for (let i = 0; i < bytes.length; i++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}

export const solid = (width: number, height: number, background: Colour) =>
  sharp({ create: { width, height, channels: 3, background } });

/** A valid, empty PNG with one bit per pixel, which compresses to almost nothing. */
export function bomb(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  return writeChunks([
    { type: "IHDR", data: header },
    { type: "IDAT", data: deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * height), { level: 9 }) },
    { type: "IEND", data: Buffer.alloc(0) },
  ]);
}
