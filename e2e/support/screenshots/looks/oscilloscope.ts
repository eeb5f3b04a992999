import type { Theme } from "../spec.ts";
import { each, escaped, htmlPage, SANS } from "./page.ts";

export type Trace = {
  name: string;
  scale: string;
  shape: "sine" | "square" | "bursts" | "decay" | "ramp";
  at: number;
  colour: string;
  high?: number;
};

export type Oscilloscope = {
  theme: Theme;
  title: string;
  buttons: string[];
  state: string[];
  traces: Trace[];
  /** Bus decoder output below the traces. */
  decoded?: { name: string; values: string[] };
  measured: { label: string; value: string }[];
  menuTitle: string;
  menu: string[];
};

export function oscilloscopePage(scope: Oscilloscope): string {
  const dark = scope.theme === "dark";
  const [ground, grid, text, panel] = dark
    ? ["#000", "#2c3a33", "#d5dad7", "#1b1e20"]
    : ["#fcfcfc", "#d2d8dc", "#23282c", "#e9ecee"];
  const css = `body{background:${panel};color:${text};font:12px ${SANS};display:flex;flex-direction:column}
    .top{display:flex;gap:16px;align-items:center;padding:6px 12px;flex:none}
    .top b{font-size:14px}
    .top span{border:1px solid #8886;border-radius:3px;padding:2px 9px}
    .top em{margin-left:auto;font-style:normal}
    .mid{display:flex;flex:1;min-height:0}
    .mid svg{flex:1;min-width:0;background:${ground}}
    .menu{width:140px;padding:8px 10px}
    .menu h6{font-size:12px;margin:0 0 8px}
    .menu div{border:1px solid #8886;padding:6px;margin-bottom:6px}
    .low{display:flex;flex-wrap:wrap;gap:6px 26px;padding:7px 12px;flex:none}.low b{margin-left:6px}`;
  const lines = [1, 2, 3, 4, 5, 6, 7].map((at) => `<path d="M0 ${at * 75}H1000" stroke="${grid}"/>`);
  const columns = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((at) => `<path d="M${at * 100} 0V600" stroke="${grid}"/>`);
  const svg = `<svg viewBox="0 0 1000 600" preserveAspectRatio="none" fill="none" font-family='${SANS}' font-size="14">${lines.join("")}${columns.join("")}${each(scope.traces, traceOf)}${scope.decoded ? decodedOf(scope.decoded, text) : ""}</svg>`;
  return htmlPage(
    css,
    `<div class="top"><b>${escaped(scope.title)}</b>${each(scope.buttons, (button) => `<span>${escaped(button)}</span>`)}<em>${escaped(scope.state.join("   "))}</em></div>
    <div class="mid">${svg}<div class="menu"><h6>${escaped(scope.menuTitle)}</h6>${each(scope.menu, (item) => `<div>${escaped(item)}</div>`)}</div></div>
    <div class="low">${each(scope.traces, ({ name, scale, colour }) => `<span style="color:${colour}">■ ${escaped(name)} ${escaped(scale)}</span>`)}${each(scope.measured, ({ label, value }) => `<span>${escaped(label)}<b>${escaped(value)}</b></span>`)}</div>`,
  );
}

function traceOf({ name, shape, at, colour, high = 50 }: Trace): string {
  const points = Array.from({ length: 500 }, (_, x) => `${x * 2} ${(at - high * level(shape, x)).toFixed(1)}`);
  return `<path d="M${points.join("L")}" stroke="${colour}" stroke-width="1.8"/>${name === "" ? "" : `<text x="8" y="${at + 18}" fill="${colour}">${escaped(name)}</text>`}`;
}

function level(shape: Trace["shape"], x: number): number {
  const noise = Math.sin(x * 12.9898) * 0.03;
  if (shape === "sine") return Math.sin(x / 16) + noise;
  if (shape === "square") return (Math.floor(x / 26) % 2 === 0 ? 1 : 0) + noise;
  if (shape === "bursts") return (x % 170 < 110 && Math.floor(x / (4 + (x % 3))) % 2 === 0 ? 1 : 0) + noise;
  if (shape === "decay") return (x < 120 ? 0 : 1 - Math.exp(-(x - 120) / 30) * Math.cos((x - 120) / 7)) + noise;
  return (x % 125) / 125 + noise;
}

function decodedOf({ name, values }: NonNullable<Oscilloscope["decoded"]>, ink: string): string {
  const wide = 900 / values.length;
  return `<text x="8" y="562" fill="${ink}">${escaped(name)}</text>${each(values, (value, at) => `<rect x="${70 + at * wide}" y="545" width="${wide - 8}" height="26" stroke="#39a0c8"/><text x="${76 + at * wide}" y="563" fill="${ink}">${escaped(value)}</text>`)}`;
}
