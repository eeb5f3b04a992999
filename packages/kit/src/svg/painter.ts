// A program for one picture: it gets a drawing from its parent, and ends with it.
import sharp from "sharp";

export type Painting = { svg: string; maxPixels: number };
/** Without a picture: the renderer cannot take it. */
export type Painted = { picture?: { bytes: Uint8Array; width: number; height: number } };
/** Loading its code takes long on a busy machine, and is not the fault of a drawing. */
export type Ready = "ready";

sharp.concurrency(1);
// Nothing else ends a renderer that is at work.
process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.once("message", async ({ svg, maxPixels }: Painting) => {
  process.send?.(await paint(svg, maxPixels));
});
process.send?.("ready" satisfies Ready);

async function paint(svg: string, maxPixels: number): Promise<Painted> {
  try {
    const image = sharp(Buffer.from(svg), { limitInputPixels: maxPixels });
    const { data, info } = await image.removeAlpha().png().toBuffer({ resolveWithObject: true });
    return { picture: { bytes: data, width: info.width, height: info.height } };
  } catch {
    return {};
  }
}
