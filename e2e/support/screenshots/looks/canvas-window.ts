import type { Theme } from "../spec.ts";
import { each, escaped, htmlPage, SANS, WIDE_SANS } from "./page.ts";
import { type Skin, withButtons } from "./window-buttons.ts";

/** A design tool: menus, icon toolbar, side panels, drawing, status line. */
export type CanvasWindow = {
  theme: Theme;
  skin: Skin;
  windowTitle: string;
  menu: string[];
  /** Labels between the toolbar icons. */
  tools: string[];
  left?: { title: string; items: string[] };
  right?: { title: string; items: { text: string; colour?: string }[] };
  state: string[];
};

export function canvasWindowPage(window: CanvasWindow, drawing: string, paper: string): string {
  const { theme, skin, left, right } = window;
  const dark = theme === "dark";
  const [chrome, text, line] = dark ? ["#2d2f33", "#d6d8dc", "#45484e"] : ["#efefef", "#222", "#c4c4c4"];
  const css = `body{background:${chrome};color:${text};font:12px ${skin === "gnome" ? WIDE_SANS : SANS};display:flex;flex-direction:column}
    .bar{display:flex;align-items:center;padding:6px 12px;flex:none;background:${dark ? "#232427" : "#dedede"}}
    .bar .t{flex:1;text-align:center}
    .bar i{width:54px}
    .menu,.tools{display:flex;gap:15px;padding:4px 12px;flex:none}
    .tools{gap:7px;align-items:center;border-bottom:1px solid ${line}}
    .tools u{width:17px;height:17px;border:1.5px solid ${dark ? "#8b9099" : "#777"};border-radius:3px}
    .tools span{padding:0 8px}
    .mid{flex:1;display:flex;min-height:0}
    .side{width:176px;flex:none;overflow:hidden;padding:7px 10px;border-right:1px solid ${line};white-space:nowrap}
    .side h6{font-size:12px;margin:0 0 6px}
    .side div{padding:2px 0}
    .side s{display:inline-block;width:12px;height:12px;margin-right:7px;vertical-align:-2px}
    .cv{flex:1;min-width:0;background:${paper}}.cv svg{width:100%;height:100%;display:block}
    .st{display:flex;gap:34px;padding:3px 12px;border-top:1px solid ${line};font-size:11px;flex:none}`;
  const tools = each(window.tools, (tool) => `<u></u><u></u><u></u><span>${escaped(tool)}</span>`);
  const leftSide = left
    ? `<div class="side"><h6>${escaped(left.title)}</h6>${each(left.items, (item) => `<div>${escaped(item)}</div>`)}</div>`
    : "";
  const swatch = (colour: string | undefined) => (colour ? `<s style="background:${colour}"></s>` : "");
  const rightSide = right
    ? `<div class="side"><h6>${escaped(right.title)}</h6>${each(right.items, (item) => `<div>${swatch(item.colour)}${escaped(item.text)}</div>`)}</div>`
    : "";
  return htmlPage(
    css,
    `<div class="bar">${withButtons(skin, "currentColor", escaped(window.windowTitle))}</div>
    <div class="menu">${each(window.menu, (item) => `<span>${escaped(item)}</span>`)}</div><div class="tools">${tools}<u></u><u></u></div>
    <div class="mid">${leftSide}<div class="cv">${drawing}</div>${rightSide}</div>
    <div class="st">${each(window.state, (item) => `<span>${escaped(item)}</span>`)}</div>`,
  );
}
