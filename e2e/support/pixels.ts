import { createRequire } from "node:module";

type Decoded = { data: Buffer; info: { width: number; height: number } };
type Decode = (png: Buffer) => {
  removeAlpha(): { raw(): { toBuffer(options: { resolveWithObject: true }): Promise<Decoded> } };
};

/** The decoder of the package that makes the screenshots. */
const decode = createRequire(new URL("../../packages/panels/package.json", import.meta.url))("sharp") as Decode;

export type Picture = { width: number; height: number; at(x: number, y: number): [number, number, number] };

export async function readPicture(png: Buffer): Promise<Picture> {
  const { data, info } = await decode(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return {
    ...{ width: info.width, height: info.height },
    at(x, y) {
      const from = (Math.floor(y) * info.width + Math.floor(x)) * 3;
      return [...data.subarray(from, from + 3)] as [number, number, number];
    },
  };
}

/** The largest difference from `#rrggbb` in any channel. */
export function distance(pixel: readonly number[], colour: string): number {
  const wanted = [1, 3, 5].map((from) => Number.parseInt(colour.slice(from, from + 2), 16));
  return Math.max(...wanted.map((channel, at) => Math.abs(channel - (pixel[at] ?? 0))));
}
