import type { Frames } from "./frames.ts";
import type { Memory } from "./memory.ts";

const MAX_RATIO = 1.2;
const MAX_GAPS_PER_MINUTE = 1;
const MIB = 1_024 ** 2;
const MINUTE_MS = 60_000;

/**
 * With which minute each is compared. A page and a server that have just started still load what they need; the last ten
 * minutes of all channels, which both keep, are most of a heap, and a page rounds up what it needs for them.
 */
const COLUMNS = {
  page: { name: "page", base: 5 },
  server: { name: "server", base: 5 },
  pageHeap: { name: "page heap", base: 20 },
  serverHeap: { name: "server heap", base: 20 },
} as const satisfies Record<keyof Memory, object>;
const KEYS = Object.keys(COLUMNS) as (keyof Memory)[];
export const SHORTEST_RUN = 1 + COLUMNS.page.base;

/** A line per look, with ratios. On a busy machine, minutes may be missing. */
export function createTable(print: (line: string) => void) {
  const rows: { minute: number; memory: Memory }[] = [];
  const watched: Frames[] = [];
  const cells = (words: readonly string[]) => words.map((word) => word.padStart(18)).join("");
  const baseOf = (key: keyof Memory) => rows.find(({ minute }) => minute >= COLUMNS[key].base);
  const ratioOf = (key: keyof Memory, memory: Memory) => memory[key] / (baseOf(key)?.memory[key] ?? Number.NaN);
  print(cells(["minute", ...KEYS.map((key) => COLUMNS[key].name), "late frames", "longest", "page busy", "load"]));

  function memoryHolds(): boolean {
    const compared = KEYS.map((key) => {
      const { name, base } = COLUMNS[key];
      const after = rows.filter(({ minute }) => minute > base);
      const most = Math.max(...after.map(({ memory }) => ratioOf(key, memory)));
      if (after.length > 0) print(`${name}: at most ${most.toFixed(2)} × of minute ${base}, limit ${MAX_RATIO} ×`);
      return most;
    });
    return compared.every((most) => most <= MAX_RATIO);
  }

  function framesHold(): boolean {
    const gaps = watched.reduce((sum, each) => sum + each.gaps, 0);
    const perMinute = gaps / (watched.reduce((sum, { watchedMs }) => sum + watchedMs, 0) / MINUTE_MS);
    print(`late frames: ${perMinute.toFixed(1)} per minute, limit ${MAX_GAPS_PER_MINUTE}`);
    return perMinute <= MAX_GAPS_PER_MINUTE;
  }

  return {
    add(minute: number, memory: Memory, frames: Frames): void {
      rows.push({ minute, memory });
      watched.push(frames);
      const words = KEYS.map((key) => {
        const compared = minute > COLUMNS[key].base ? ` ${ratioOf(key, memory).toFixed(2)} ×` : "";
        return `${(memory[key] / MIB).toFixed(1)} MiB${compared}`;
      });
      const { gaps, longestMs, busyShare, load } = frames;
      const late = [String(gaps), `${Math.round(longestMs)} ms`, `${Math.round(100 * busyShare)} %`, load.toFixed(1)];
      print(cells([String(minute), ...words, ...late]));
    },
    /** Whether memory and frames stayed within their limits. Both are said. */
    conclude(): boolean {
      return [memoryHolds(), framesHold()].every(Boolean);
    },
  };
}
