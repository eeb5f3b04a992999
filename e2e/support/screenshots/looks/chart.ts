import type { Theme } from "../spec.ts";
import { bumpyLine, each, escaped, SANS } from "./page.ts";

export type Chart = { title: string; names: string[]; unit: string; seed: number; times: string[] };

const COLOURS = ["#5794f2", "#73bf69", "#f2a93b", "#e0529c", "#8f6fe0", "#3bb3c4"] as const;
const WIDE = 420;
const HIGH = 230;

export function chart({ title, names, unit, seed, times }: Chart, theme: Theme): string {
  const ink = theme === "dark" ? "#9aa0ab" : "#5d6573";
  const rows = [0, 1, 2, 3].map((row) => {
    const y = 12 + row * 62;
    return `<path d="M38 ${y}H${WIDE}" stroke="${ink}" opacity=".25"/><text x="33" y="${y + 3}" text-anchor="end">${(3 - row) * 25 + seed} ${escaped(unit)}</text>`;
  });
  const ticks = each(
    times,
    (time, at) => `<text x="${48 + at * (360 / times.length)}" y="${HIGH - 8}">${escaped(time)}</text>`,
  );
  const lines = each(
    names,
    (_, at) => `<path d="${curve(seed + at * 2)}" fill="none" stroke="${colourOf(at)}" stroke-width="1.6"/>`,
  );
  const legend = each(names, (name, at) => `<span><s style="background:${colourOf(at)}"></s>${escaped(name)}</span>`);
  return `<div class="card chart"><h2>${escaped(title)}</h2><svg viewBox="0 0 ${WIDE} ${HIGH}" preserveAspectRatio="xMidYMid meet" font-family='${SANS}' font-size="9" fill="${ink}">${rows.join("")}${ticks}${lines}</svg><div class="leg">${legend}</div></div>`;
}

function colourOf(at: number): string {
  return COLOURS[at % COLOURS.length] ?? COLOURS[0];
}

function curve(seed: number): string {
  const points = bumpyLine(seed, 76).map((value, at) => `${40 + at * 5} ${(190 - value * 165).toFixed(1)}`);
  return `M${points.join("L")}`;
}
