import type { Theme } from "../spec.ts";
import { each, escaped, htmlPage, MONO, NARROW_MONO, SANS } from "./page.ts";
import { type Skin, withButtons } from "./window-buttons.ts";

export type Terminal = {
  theme: Theme;
  skin: Skin;
  title: string;
  tabs?: string[];
  /** `^r`, `^g`, `^y`, `^b`, `^m`, `^c` set a colour, `^d` dims, `^w` is bold, `^.` resets. */
  lines: string[];
  /** A multiplexer's status line at the bottom: left and right part. */
  status?: [string, string];
  font?: "wide" | "narrow";
  size?: number;
};

const COLOURS = {
  dark: { r: "#f2665f", g: "#6ccf6a", y: "#e2c14b", b: "#6ea8fe", m: "#cf8ef4", c: "#56c8d8", d: "#858b96" },
  light: { r: "#b3261e", g: "#1c7c34", y: "#8a6100", b: "#1f55c4", m: "#8430b5", c: "#08727f", d: "#7b818c" },
} as const;

export function terminalPage(terminal: Terminal): string {
  const { theme, skin, title, tabs = [], lines, status, font = "wide", size = 13 } = terminal;
  const dark = theme === "dark";
  const [ground, text, bar] = dark
    ? skin === "mac"
      ? ["#1d1f21", "#d5d8d6", "#3b3c3f"]
      : ["#0d1117", "#d7dce2", "#24272e"]
    : ["#fdfdfb", "#24292f", "#e4e4e6"];
  const css = `body{background:${ground};color:${text};display:flex;flex-direction:column}
    .bar{background:${bar};display:flex;align-items:center;padding:7px 12px;font:12.5px ${SANS};flex:none}
    .bar .t{flex:1;text-align:center}
    .bar i{width:54px}
    .tabs{display:flex;background:${bar};font:12px ${SANS};flex:none}
    .tabs span{flex:1;text-align:center;padding:5px;border-right:1px solid #0003;opacity:.65}
    .tabs .on{background:${ground};opacity:1}
    pre{margin:0;flex:1;padding:8px 10px;font:${size}px/1.34 ${font === "wide" ? MONO : NARROW_MONO};white-space:pre;overflow:hidden}
    ${each(Object.entries(COLOURS[theme]), ([key, colour]) => `.${key}{color:${colour}}`)}.w{font-weight:bold}
    .st{flex:none;display:flex;justify-content:space-between;background:${dark ? "#2f6f3e" : "#2d6cdf"};color:#fff;font:12px ${MONO};padding:2px 8px}
    .cur{display:inline-block;width:.6em;height:1.1em;background:${text};vertical-align:-.2em}`;
  const strip = each(tabs, (tab, at) => `<span class="${at === 0 ? "on" : ""}">${escaped(tab)}</span>`);
  const foot = status
    ? `<div class="st"><span>${escaped(status[0])}</span><span>${escaped(status[1])}</span></div>`
    : "";
  return htmlPage(
    css,
    `<div class="bar">${withButtons(skin, "currentColor", escaped(title))}</div>${strip && `<div class="tabs">${strip}</div>`}<pre>${lines.map(coloured).join("\n")}<span class="cur"></span></pre>${foot}`,
  );
}

function coloured(line: string): string {
  let isOpen = false;
  const html = escaped(line).replace(/\^([rgybmcdw.])/g, (_, key: string) => {
    const end = isOpen ? "</span>" : "";
    isOpen = key !== ".";
    return isOpen ? `${end}<span class="${key}">` : end;
  });
  return isOpen ? `${html}</span>` : html;
}
