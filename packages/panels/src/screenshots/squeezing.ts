import type { Usage } from "../services.ts";
import { squeezeImage } from "./finish-image.ts";
import type { ShotFolder } from "./shot-folder.ts";

/** Nobody waits for it: it begins when no screenshot was taken for this time. */
const QUIET_MS = 2_000;
/** Files that wait; of more than that, the oldest stay as they are. */
const MAX_WAITING = 1_000;

type Options = { usage: Usage; onFault: (error: unknown) => void; quietMs?: number };

/** Compresses saved screenshots well, one at a time, once there is nothing more urgent. What waits at a stop stays as it is. */
export function createSqueezing({ usage, onFault, quietMs = QUIET_MS }: Options) {
  const waiting: (() => Promise<void>)[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isWorking = false;

  async function work(): Promise<void> {
    timer = undefined;
    if (isWorking) return;
    isWorking = true;
    while (timer === undefined) {
      const next = waiting.shift();
      if (!next) break;
      await next().catch(onFault);
    }
    isWorking = false;
  }

  function wait(): void {
    clearTimeout(timer);
    timer = setTimeout(work, quietMs).unref();
  }

  return {
    async add(ownerId: string, folder: ShotFolder, file: string): Promise<void> {
      const seen = await folder.look(file);
      if (!seen) return;
      wait();
      waiting.push(async () => {
        const saved = await folder.shrink(file, seen, squeezeImage);
        if (saved > 0) await usage.changing(ownerId, -saved, async () => {});
      });
      if (waiting.length > MAX_WAITING) waiting.shift();
    },
    close(): void {
      clearTimeout(timer);
      waiting.length = 0;
    },
  };
}

export type Squeezing = ReturnType<typeof createSqueezing>;
