import { availableParallelism } from "node:os";
import { VIEWER_LIMITS } from "@backplane/contract/viewer";
import sharp from "sharp";
import type { Images } from "../services.ts";
import { openImage } from "./decode.ts";
import { IMAGE_LIMITS } from "./limits.ts";
import { prepare } from "./prepare.ts";
import { squeeze } from "./squeeze.ts";
import { createTurns } from "./turns.ts";

type Limits = Pick<typeof VIEWER_LIMITS, "maxPixels" | "imagesAtOnce">;

/** Everything that touches pixels. Memory is bounded by how many images are open at a time and how large one may be. */
export function createImages({ limits = VIEWER_LIMITS }: { limits?: Limits } = {}): Images {
  const { maxPixels, imagesAtOnce } = limits;
  // Every image is seen once: keeping what was decoded would only take memory.
  sharp.cache(false);
  sharp.concurrency(Math.min(availableParallelism(), IMAGE_LIMITS.threadsPerPass));
  const inTurn = createTurns(imagesAtOnce);
  const oneByOne = createTurns(1);
  const running = new Set<Promise<unknown>>();
  const track = <T>(task: Promise<T>): Promise<T> => {
    const ended = task.then(
      () => {},
      () => {},
    );
    running.add(ended);
    void ended.then(() => running.delete(ended));
    return task;
  };
  return {
    prepare: (upload) => track(inTurn(() => prepare(upload, maxPixels))),
    squeeze: (path, target) => track(oneByOne(() => squeeze(path, target))),
    thumbnail: (path) => track(inTurn(() => thumbnail(path, maxPixels))),
    async close() {
      await Promise.all(running);
    },
  };
}

function thumbnail(path: string, maxPixels: number): Promise<Buffer> {
  const { thumbnailPixels, thumbnailQuality } = IMAGE_LIMITS;
  return openImage(path, maxPixels)
    .resize(thumbnailPixels, thumbnailPixels, { fit: "inside", withoutEnlargement: true })
    .webp({ quality: thumbnailQuality })
    .toBuffer();
}
