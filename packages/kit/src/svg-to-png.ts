import sharp from "sharp";

/** The size of a drawing of ours: in its first tag, in millimetres. */
const SIZE = / width="([0-9.]{1,20})mm" height="([0-9.]{1,20})mm"/;

export interface Png {
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}

/** A drawing of our own as a picture whose longer side has `pixels`. Undefined when the renderer cannot take it. */
export async function svgToPng(svg: string, pixels: number): Promise<Png | undefined> {
  const [found = "", wide, high] = SIZE.exec(svg) ?? [];
  const scale = pixels / Math.max(Number(wide), Number(high));
  const side = (mm: string | undefined) => Math.max(1, Math.round(Number(mm) * scale));
  try {
    const sized = svg.replace(found, ` width="${side(wide)}" height="${side(high)}"`);
    const image = sharp(Buffer.from(sized), { limitInputPixels: (pixels + 1) ** 2 });
    const { data, info } = await image.removeAlpha().png().toBuffer({ resolveWithObject: true });
    return { bytes: data, width: info.width, height: info.height };
  } catch {
    return undefined;
  }
}
