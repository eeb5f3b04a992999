import type { Engine, EngineBlock } from "./engine.ts";
import type { RecogniserLimits } from "./limits.ts";

export type EnginePool = {
  recognise(file: Uint8Array<ArrayBuffer>): Promise<EngineBlock[]>;
  /** Engines that run or are starting. */
  started(): number;
  close(): Promise<void>;
};

type Place = {
  engine: Promise<Engine> | undefined;
  read: number;
  isBusy: boolean;
  idle: NodeJS.Timeout | undefined;
};

/** The first engine keeps running; the others end after a while without work. A failed engine is replaced. */
export function createEnginePool(options: {
  start: (timeoutMs: number) => Promise<Engine>;
  maxEngines: number;
  limits: RecogniserLimits;
}): EnginePool {
  const { start, limits } = options;
  const places: Place[] = Array.from({ length: Math.max(1, options.maxEngines) }, () => ({
    engine: undefined,
    read: 0,
    isBusy: false,
    idle: undefined,
  }));
  const waiting: ((place: Place) => void)[] = [];
  let isClosed = false;

  const take = async (): Promise<Place> => {
    const free = places.find(({ isBusy }) => !isBusy);
    if (free === undefined) return new Promise((resolve) => waiting.push(resolve));
    free.isBusy = true;
    clearTimeout(free.idle);
    return free;
  };

  const endEngine = async (place: Place): Promise<void> => {
    const { engine } = place;
    place.engine = undefined;
    place.read = 0;
    await (await engine?.catch(() => undefined))?.end();
  };

  const giveBack = (place: Place): void => {
    const next = waiting.shift();
    if (next !== undefined) {
      next(place);
      return;
    }
    place.isBusy = false;
    if (place === places[0] || isClosed) return;
    place.idle = setTimeout(() => void endEngine(place), limits.idleMs).unref();
  };

  return {
    async recognise(file) {
      const place = await take();
      try {
        if (isClosed) throw new Error("The engines are closed");
        place.engine ??= start(limits.startTimeoutMs);
        const blocks = await (await place.engine).recognise(file, limits.imageTimeoutMs);
        place.read++;
        if (place.read >= limits.imagesPerEngine) await endEngine(place);
        return blocks;
      } catch (error) {
        await endEngine(place);
        throw error;
      } finally {
        giveBack(place);
      }
    },
    started: () => places.filter(({ engine }) => engine !== undefined).length,
    async close() {
      isClosed = true;
      for (const place of places) clearTimeout(place.idle);
      await Promise.all(places.map(endEngine));
    },
  };
}
