import type { Memory } from "./memory.ts";

const MAX_RATIO = 1.2;
const MIB = 1_024 ** 2;

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
  const cells = (words: readonly string[]) => words.map((word) => word.padStart(18)).join("");
  const baseOf = (key: keyof Memory) => rows.find(({ minute }) => minute >= COLUMNS[key].base);
  const ratioOf = (key: keyof Memory, memory: Memory) => memory[key] / (baseOf(key)?.memory[key] ?? Number.NaN);
  print(cells(["minute", ...KEYS.map((key) => COLUMNS[key].name)]));
  return {
    add(minute: number, memory: Memory): void {
      rows.push({ minute, memory });
      const words = KEYS.map((key) => {
        const compared = minute > COLUMNS[key].base ? ` ${ratioOf(key, memory).toFixed(2)} ×` : "";
        return `${(memory[key] / MIB).toFixed(1)} MiB${compared}`;
      });
      print(cells([String(minute), ...words]));
    },
    /** Whether the memory stayed within its limit at every look. */
    conclude(): boolean {
      const compared = KEYS.map((key) => {
        const { name, base } = COLUMNS[key];
        const after = rows.filter(({ minute }) => minute > base);
        const most = Math.max(...after.map(({ memory }) => ratioOf(key, memory)));
        if (after.length > 0) print(`${name}: at most ${most.toFixed(2)} × of minute ${base}, limit ${MAX_RATIO} ×`);
        return most;
      });
      return compared.every((most) => most <= MAX_RATIO);
    },
  };
}
