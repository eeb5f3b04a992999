import type { Theme } from "../spec.ts";
import { bumpyLine, htmlPage } from "./page.ts";

/** A photo-like image without text. */
export function photoPage(hue: number): string {
  return htmlPage(
    `body{background:radial-gradient(circle at 30% 35%,hsl(${hue} 70% 78%) 0,hsl(${hue} 45% 46%) 22%,hsl(${hue + 30} 40% 24%) 52%,hsl(${hue + 60} 35% 9%) 100%)}
    div{position:absolute;border-radius:50%;filter:blur(22px)}`,
    `<div style="left:55%;top:44%;width:34%;height:46%;background:hsl(${hue + 150} 45% 40% / .7)"></div><div style="left:12%;top:62%;width:26%;height:30%;background:hsl(${hue + 20} 75% 66% / .55)"></div><div style="left:68%;top:8%;width:16%;height:20%;background:#fff9"></div>`,
  );
}

/** A trace on a grid, without any text. */
export function bareWaveformPage(theme: Theme, seed: number): string {
  const [ground, grid] = theme === "dark" ? ["#05080a", "#22322a"] : ["#fff", "#dbe3e8"];
  const points = bumpyLine(seed, 240).map((value, at) => `${at * 5} ${(600 - value * 560).toFixed(1)}`);
  const lines = Array.from(
    { length: 11 },
    (_, at) => `<path d="M0 ${at * 60}H1200M${at * 120} 0V640" stroke="${grid}"/>`,
  );
  return htmlPage(
    `body{background:${ground}}svg{width:100%;height:100%}`,
    `<svg viewBox="0 0 1200 640" preserveAspectRatio="none" fill="none">${lines.join("")}<path d="M${points.join("L")}" stroke="#f2c230" stroke-width="2.5"/></svg>`,
  );
}
