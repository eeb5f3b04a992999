import type { Range } from "../parts/plot/range.ts";
import type { PlotSeries } from "../parts/plot/series.ts";

type Column = Pick<PlotSeries, "label" | "track" | "read" | "isShown"> & { unit: string };

/** What is seen, as samples: one row per time, empty where a series has no value. */
export function csvOfSeries(all: readonly Column[], [fromMs, toMs]: Range): string {
  const series = all.filter(({ isShown }) => isShown);
  const rows = new Map<number, (number | undefined)[]>();
  for (const [place, { track, read }] of series.entries()) {
    for (let sample = track.from(fromMs); sample < track.next && track.timeAt(sample) <= toMs; sample += 1) {
      const value = read(track, sample);
      if (Number.isNaN(value)) continue;
      const tMs = track.timeAt(sample);
      const row = rows.get(tMs) ?? [];
      row[place] = value;
      rows.set(tMs, row);
    }
  }
  const head = ["time", ...series.map(({ label, unit }) => cell(unit === "" ? label : `${label} (${unit})`))];
  const lines = [...rows]
    .sort(([a], [b]) => a - b)
    .map(([tMs, row]) => [new Date(tMs).toISOString(), ...series.map((_, place) => row[place] ?? "")].join());
  return `${[head.join(), ...lines].join("\r\n")}\r\n`;
}

/** A spreadsheet takes text that begins like a formula for one. */
const cell = (text: string): string => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
