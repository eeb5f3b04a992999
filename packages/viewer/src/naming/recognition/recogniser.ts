import { availableParallelism } from "node:os";
import { cutIntoBands } from "./bands.ts";
import { type Bitmap, encodePgm } from "./bitmap.ts";
import { type Engine, startEngine } from "./engine.ts";
import { createEnginePool } from "./engine-pool.ts";
import { RECOGNISER_LIMITS, type RecogniserLimits } from "./limits.ts";
import { joinBands, NOTHING_RECOGNISED, type RecognisedText } from "./recognised-lines.ts";

export type Recogniser = {
  /** Returns no text for a picture that cannot be read. Rejects only when the recogniser is closed. */
  recognise(path: string): Promise<RecognisedText>;
  /** Starts the engine before it is needed. */
  warm(): Promise<void>;
  close(): Promise<void>;
};

export type RecogniserOptions = {
  start?: (timeoutMs: number) => Promise<Engine>;
  /** The maximum number of engines; two share a large picture. */
  engines?: number;
  limits?: Partial<RecogniserLimits>;
  log?: (fault: unknown) => void;
};

/** Local OCR: nothing leaves the machine, and nothing is written to disk. Reads one picture at a time. */
export function openRecogniser(options: RecogniserOptions = {}): Recogniser {
  const limits = { ...RECOGNISER_LIMITS, ...options.limits };
  const maxEngines = options.engines ?? Math.min(2, availableParallelism());
  const pool = createEnginePool({ start: options.start ?? startEngine, maxEngines, limits });
  const log = options.log ?? (() => {});
  let isClosed = false;
  let waiting = 0;
  let turn: Promise<unknown> = Promise.resolve();

  const recogniseNow = async (path: string): Promise<RecognisedText> => {
    // With the first picture, as its library is large.
    const { prepareBitmap } = await import("./prepare-bitmap.ts");
    const bitmap = await prepareBitmap(path);
    const boxes = cutIntoBands(bitmap, { max: maxEngines, started: pool.started() });
    const bands = await Promise.all(
      boxes.map(async (box) => ({ box, blocks: await pool.recognise(encodePgm(bitmap, box)) })),
    );
    return joinBands(bands, bitmap);
  };

  const refuseWhenClosed = (): void => {
    if (isClosed) throw new Error("The recogniser is closed");
  };

  return {
    async recognise(path) {
      refuseWhenClosed();
      if (waiting >= limits.maxWaiting) return NOTHING_RECOGNISED;
      waiting++;
      const mine = turn.then(async () => {
        refuseWhenClosed();
        return recogniseNow(path).catch((fault: unknown) => {
          if (!isClosed) log(fault);
          return NOTHING_RECOGNISED;
        });
      });
      turn = mine.catch(() => {});
      try {
        const recognised = await mine;
        refuseWhenClosed();
        return recognised;
      } finally {
        waiting--;
      }
    },
    async warm() {
      refuseWhenClosed();
      await pool.recognise(encodePgm(...letters())).catch(log);
    },
    async close() {
      isClosed = true;
      await pool.close();
      await turn;
    },
  };
}

/** A picture to warm up with: the first one takes an engine much longer than the second. */
function letters(): [Bitmap, { left: number; top: number; width: number; height: number }] {
  const [width, height] = [320, 48];
  const data = new Uint8Array(width * height).fill(255);
  for (let y = 14; y < 34; y++)
    for (let x = 12; x < 300; x++) if (x % 14 < 3 || (y === 24 && x % 14 < 9)) data[y * width + x] = 0;
  return [
    { data, width, height },
    { left: 0, top: 0, width, height },
  ];
}
