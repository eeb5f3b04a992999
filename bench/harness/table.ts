import { compareWith, latencyOf, type Measure, measures, type Spread } from "./figures.ts";
import type { Round } from "./round.ts";

export type Result = {
  title: string;
  /** What was run, for the heading. */
  description: string;
  /** What is counted, e.g. `requests`. */
  unit: string;
  ours: string;
  peers: readonly string[];
  rounds: readonly Round[];
};

const HEADER = ["", "beside", "ours", "peer", "ours / peer"];

/** A comparison as text: the table, latencies where there are any, one closing line. */
export function renderResult(result: Result): string {
  const { title, description, unit, ours, peers, rounds } = result;
  const counted = rounds.filter(({ dropped }) => !dropped).length;
  const rows = measures.flatMap((measure) => peers.map((peer) => rowOf(result, peer, measure)));
  return [
    `${title} (${description}; ${counted} repetitions, median [min..max])`,
    ...alignColumns([HEADER, ...rows]),
    ...[ours, ...peers].flatMap((label) => latencyLine(label, rounds)),
    `→ ${title}: ${ours} is ${peers.map((peer) => `${ratioBeside(result, peer)} × ${peer}`).join(", ")} (${unit} per CPU-s)`,
    "",
  ].join("\n");
}

function rowOf({ ours, rounds, unit }: Result, peer: string, measure: Measure): string[] {
  const compared = compareWith(peer, ours, rounds, measure);
  return [`${unit} ${measure}`, peer, whole(compared.ours), whole(compared.peer), hundredths(compared.ratio)];
}

function ratioBeside({ ours, rounds }: Result, peer: string): string {
  return compareWith(peer, ours, rounds, "per CPU-s").ratio.median.toFixed(2);
}

function latencyLine(label: string, rounds: readonly Round[]): string[] {
  const latency = latencyOf(label, rounds);
  if (latency === undefined) return [];
  return [
    `  latency of ${label}: p50 ${latency.p50Ms.median.toFixed(2)} ms, p99 ${latency.p99Ms.median.toFixed(2)} ms`,
  ];
}

function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd());
}

const whole = (spread: Spread) => written(spread, (value) => Math.round(value).toLocaleString("en"));
const hundredths = (spread: Spread) => written(spread, (value) => value.toFixed(2));

function written({ median, min, max }: Spread, format: (value: number) => string): string {
  return `${format(median)} [${format(min)}..${format(max)}]`;
}
