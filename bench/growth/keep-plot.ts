import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Curve } from "./curve.ts";
import { drawCurves } from "./draw-curves.ts";

const PAGE = fileURLToPath(new URL("../../docs/growth.md", import.meta.url));
const PLOTS = fileURLToPath(new URL("../../docs/images/growth/", import.meta.url));

type Plot = { name: string; title: string; things: string; filled: string; curves: readonly Curve[]; table: string[] };

/** Draws the plot, and writes it with its table into the part of docs/growth.md that is marked for it. */
export function keepPlot({ name, title, things, filled, curves, table }: Plot): void {
  mkdirSync(PLOTS, { recursive: true });
  writeFileSync(`${PLOTS}${name}.svg`, drawCurves(title, things, curves));
  const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`];
  const page = readFileSync(PAGE, "utf8");
  const [before, after] = [page.indexOf(start), page.indexOf(end)];
  if (before < 0 || after < before) throw new Error(`docs/growth.md has no part between ${start} and ${end}.`);
  const part = [start, `![${title}](images/growth/${name}.svg)`, "", ...table, "", filled, ""].join("\n");
  writeFileSync(PAGE, page.slice(0, before) + part + page.slice(after));
}
