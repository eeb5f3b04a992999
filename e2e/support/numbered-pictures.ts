import assert from "node:assert/strict";
import type { Locator } from "playwright-core";

/** Of the test camera. */
export const FRAME_MS = 1_000 / 30;

export type Seen = { atMs: number; number: number };

/** The numbers of pictures, read from their squares as they are shown. */
export const readNumbers = (slot: Locator, count: number): Promise<Seen[]> =>
  slot.locator("video").evaluate(
    (element, wanted) =>
      new Promise<Seen[]>((resolve) => {
        const video = element as HTMLVideoElement;
        const canvas = new OffscreenCanvas(320, 20);
        const context = canvas.getContext("2d", { willReadFrequently: true });
        const all: Seen[] = [];
        const look = () => {
          context?.drawImage(video, 0, 0, 320, 20, 0, 0, 320, 20);
          const pixels = context?.getImageData(0, 0, 320, 20).data ?? [];
          let number = 0;
          for (let bit = 0; bit < 16; bit += 1)
            if ((pixels[(10 * 320 + bit * 20 + 10) * 4] ?? 0) > 128) number |= 1 << bit;
          all.push({ atMs: performance.now(), number });
          if (all.length < wanted) video.requestVideoFrameCallback(look);
          else resolve(all);
        };
        video.requestVideoFrameCallback(look);
      }),
    count,
  );

/** The number of the picture that is there, also when nothing moves. */
export const numberNow = (slot: Locator): Promise<number> =>
  slot.locator("video").evaluate((element) => {
    const context = new OffscreenCanvas(320, 20).getContext("2d", { willReadFrequently: true });
    context?.drawImage(element as HTMLVideoElement, 0, 0, 320, 20, 0, 0, 320, 20);
    const pixels = context?.getImageData(0, 0, 320, 20).data ?? [];
    let number = 0;
    for (let bit = 0; bit < 16; bit += 1) if ((pixels[(10 * 320 + bit * 20 + 10) * 4] ?? 0) > 128) number |= 1 << bit;
    return number;
  });

/** In order, how many are missing, and by how much their times differ from the even pace of the camera. */
export function inOrder(seen: readonly Seen[]): { count: number; missing: number; p50: number; p95: number } {
  // A browser that is behind says twice that a picture is new, and has the same one both times.
  const shown = seen.filter(({ number }, i) => number !== seen[i - 1]?.number);
  const numbers = shown.map(({ number }) => number);
  for (const [i, number] of numbers.entries())
    if (i > 0) assert.ok(number > (numbers[i - 1] ?? 0), `in order: ${numbers.slice(Math.max(0, i - 2), i + 2)}`);
  const lates = shown.map(({ atMs, number }) => atMs - number * FRAME_MS);
  const earliest = Math.min(...lates);
  const spread = lates.map((late) => late - earliest).sort((a, b) => a - b);
  const at = (share: number) => spread[Math.floor(share * spread.length)] ?? 0;
  const missing = (numbers.at(-1) ?? 0) - (numbers[0] ?? 0) + 1 - numbers.length;
  return { count: numbers.length, missing, p50: at(0.5), p95: at(0.95) };
}
