import { VIEWER_LIMITS } from "@backplane/contract/viewer";
import { limitConcurrency } from "@backplane/kit/concurrency";
import type { Images } from "../services.ts";

type Limits = Pick<typeof VIEWER_LIMITS, "maxPixels" | "imagesAtOnce">;

/** Everything that touches pixels. Memory is bounded by the number of open images and the size of each. */
export function createImages({ limits = VIEWER_LIMITS }: { limits?: Limits } = {}): Images {
  const { maxPixels, imagesAtOnce } = limits;
  const inTurn = limitConcurrency({ atOnce: imagesAtOnce });
  const oneByOne = limitConcurrency({ atOnce: 1 });
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
  // With the first picture: its libraries take longer to load than the rest of a viewer that only waits.
  const work = () => import("./work.ts");
  return {
    prepare: (upload) => track(inTurn(async () => (await work()).prepare(upload, maxPixels))),
    squeeze: (path, target) => track(oneByOne(async () => (await work()).squeeze(path, target))),
    thumbnail: (path) => track(inTurn(async () => (await work()).thumbnail(path, maxPixels))),
    async close() {
      await Promise.all(running);
    },
  };
}
