import { DEVICES_LIMITS, type DeviceLine } from "@backplane/contract/devices";
import type { LogEntry, LogLevel } from "@backplane/contract/panels";
import type { PanelLines } from "../../devices/devices.ts";

/** A line of a device as the lists of logs show it. */
export type RobotLine = LogEntry & { tMs: number; device: string; fields: DeviceLine["fields"] };

/** Lines are kept for as long as everything else in the page, but a quiet robot's as many as the hub keeps. */
const KEPT_MS = DEVICES_LIMITS.keptMs;
const MIN_LINES = 1_000;
const MAX_LINES = 10_000;
const FOLD_ABOVE_PER_SECOND = 200;

const LEVELS: Readonly<Record<string, LogLevel>> = {
  debug: "debug",
  info: "info",
  warn: "warn",
  error: "error",
  fatal: "error",
};

/** Numbers lines in the order in which they come; history replaces what is there. */
export function createRobotLines() {
  let lines: readonly RobotLine[] = [];
  let lastId = 0;
  return {
    lines: () => lines,
    take({ lines: said, isHistory }: PanelLines): void {
      const added = said.map((line): RobotLine => {
        lastId += 1;
        return {
          ...{ id: lastId, at: new Date(line.tMs).toISOString(), tMs: line.tMs, device: line.device },
          ...{ level: LEVELS[line.level] ?? "info", source: line.source || line.device, message: line.text },
          fields: line.fields,
        };
      });
      const all = isHistory ? added : [...lines, ...added];
      lines = all.slice(-Math.min(MAX_LINES, Math.max(MIN_LINES, youngOf(all))));
    },
  };
}

/** How many of the last lines are not older than lines are kept. */
function youngOf(lines: readonly RobotLine[]): number {
  const oldestMs = (lines.at(-1)?.tMs ?? 0) - KEPT_MS;
  return lines.length - 1 - lines.findLastIndex(({ tMs }) => tMs < oldestMs);
}

export type Folded = {
  rows: RobotLine[] /** By the id of the row that stands for them. */;
  folds: ReadonlyMap<number, number>;
};

/** More than 200 lines per second of one source become one row, unless somebody opened it. Warnings are never hidden. */
export function foldLines(lines: readonly RobotLine[], opened: ReadonlySet<number>): Folded {
  const counts = new Map<string, { count: number; row: RobotLine | undefined; hidden: number; fromMs: number }>();
  const rows: RobotLine[] = [];
  const folds = new Map<number, number>();
  for (const line of lines) {
    const key = secondOf(line);
    const of = counts.get(key) ?? { count: 0, row: undefined, hidden: 0, fromMs: 0 };
    counts.set(key, of);
    of.count += 1;
    const isQuiet = line.level === "debug" || line.level === "info";
    if (of.count <= FOLD_ABOVE_PER_SECOND || !isQuiet || (of.row && opened.has(of.row.id))) {
      rows.push(line);
      continue;
    }
    if (!of.row) {
      of.row = { ...line };
      of.fromMs = line.tMs;
      if (opened.has(line.id)) {
        rows.push(line);
        continue;
      }
      rows.push(of.row);
    }
    of.hidden += 1;
    folds.set(of.row.id, of.hidden);
    const inS = ((line.tMs - of.fromMs) / 1_000).toFixed(1);
    of.row.message = `${of.hidden.toLocaleString("en")} more lines in ${inS} s, folded; select to show`;
  }
  return { rows, folds };
}

const secondOf = ({ tMs, device, source }: RobotLine): string => `${Math.floor(tMs / 1_000)} ${device} ${source}`;

/** A source that said too much to be read. */
export type Storm = Pick<RobotLine, "tMs" | "device" | "source"> & { count: number };

/** Seconds in which a source said more than is shown without folding; seconds in a row are one storm. */
export function stormsOf(lines: readonly RobotLine[]): Storm[] {
  const counts = new Map<string, Storm>();
  for (const line of lines) {
    const { tMs, device, source } = line;
    const of = counts.get(secondOf(line)) ?? { tMs, device, source, count: 0 };
    counts.set(secondOf(line), of);
    of.count += 1;
  }
  const storms: (Storm & { lastMs: number })[] = [];
  for (const { tMs, device, source, count } of counts.values()) {
    if (count <= FOLD_ABOVE_PER_SECOND) continue;
    const before = storms.findLast((storm) => storm.device === device && storm.source === source);
    if (before && tMs - before.lastMs < 2_000) Object.assign(before, { count: before.count + count, lastMs: tMs });
    else storms.push({ tMs, device, source, count, lastMs: tMs });
  }
  return storms.map(({ lastMs: _, ...storm }) => storm);
}

export type Bar = { quiet: number; warn: number; error: number };

/** How many lines there were over time, in equal parts from the first line to now. */
export function barsOf(lines: readonly RobotLine[], count: number, fromMs: number, toMs: number): Bar[] {
  const bars = Array.from({ length: count }, (): Bar => ({ quiet: 0, warn: 0, error: 0 }));
  const partMs = Math.max(1, (toMs - fromMs) / count);
  for (const { tMs, level } of lines) {
    const bar = bars[Math.floor((tMs - fromMs) / partMs)];
    if (!bar) continue;
    if (level === "warn" || level === "error") bar[level] += 1;
    else bar.quiet += 1;
  }
  return bars;
}
