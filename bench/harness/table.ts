import { compareWith, latencyOf, type Measure, rates, type Spread } from "./figures.ts";
import { isDisturbed } from "./quiet.ts";
import type { Round } from "./round.ts";
import { judge, type Target, type Verdict } from "./target.ts";

export type Result = {
  title: string;
  /** What was run, for the heading. */
  description: string;
  /** What is counted, e.g. `requests`. */
  unit: string;
  ours: string;
  peers: readonly string[];
  rounds: readonly Round[];
  /** What is compared, the most telling first; absent: the two rates. */
  measures?: readonly Measure[];
  targets?: readonly Target[];
};

const HEADER = ["", "compared with", "ours", "peer", "ours / peer"];

export function verdictsOf({ targets = [], ours, rounds }: Result): Verdict[] {
  return targets.map((target) => judge(target, ours, rounds));
}

/** A comparison as text: the table, latencies where there are any, targets where there are any, one closing line. */
export function renderResult(result: Result): string {
  const { title, description, unit, ours, peers, rounds, measures = rates } = result;
  const counted = rounds.filter(({ dropped }) => !dropped).length;
  const [first = "per CPU-s"] = measures;
  const rows = measures.flatMap((measure) => peers.map((peer) => rowOf(result, peer, measure)));
  return [
    `${title} (${description}; ${counted} repetitions, median [min..max])`,
    ...alignColumns([HEADER, ...rows]),
    ...(measures === rates ? [ours, ...peers].flatMap((label) => latencyLine(label, rounds)) : []),
    ...(measures.some((measure) => measure === "p50 ms") ? disturbanceLine(rounds) : []),
    ...verdictsOf(result).map(({ sentence }) => `  ${sentence}`),
    `→ ${title}: ${ours} is ${peers.map((peer) => `${ratioTo(result, peer, first)} × ${peer}`).join(", ")} (${nameOf(unit, first)})`,
    "",
  ].join("\n");
}

function rowOf({ ours, rounds, unit }: Result, peer: string, measure: Measure): string[] {
  const compared = compareWith(peer, ours, rounds, measure);
  const figure = measure === "p50 ms" || measure === "p99 ms" ? thousandths : whole;
  return [nameOf(unit, measure), peer, figure(compared.ours), figure(compared.peer), hundredths(compared.ratio)];
}

function nameOf(unit: string, measure: Measure): string {
  return rates.some((rate) => rate === measure) ? `${unit} ${measure}` : measure;
}

function ratioTo({ ours, rounds }: Result, peer: string, measure: Measure): string {
  return compareWith(peer, ours, rounds, measure).ratio.median.toFixed(2);
}

function latencyLine(label: string, rounds: readonly Round[]): string[] {
  const latency = latencyOf(label, rounds);
  if (latency === undefined) return [];
  return [
    `  latency of ${label}: p50 ${latency.p50Ms.median.toFixed(2)} ms, p99 ${latency.p99Ms.median.toFixed(2)} ms`,
  ];
}

function disturbanceLine(rounds: readonly Round[]): string[] {
  const counted = rounds.filter(({ dropped }) => !dropped).flatMap(({ measurements }) => Object.values(measurements));
  const disturbed = counted.filter(isDisturbed).length;
  return disturbed === 0 ? [] : [`  ${disturbed} of ${counted.length} measurements were disturbed by other work here`];
}

function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd());
}

const whole = (spread: Spread) => written(spread, (value) => Math.round(value).toLocaleString("en"));
const thousandths = (spread: Spread) => written(spread, (value) => value.toFixed(3));
const hundredths = (spread: Spread) => written(spread, (value) => value.toFixed(2));

function written({ median, min, max }: Spread, format: (value: number) => string): string {
  return `${format(median)} [${format(min)}..${format(max)}]`;
}
