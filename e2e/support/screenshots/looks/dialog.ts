import type { Theme } from "../spec.ts";
import { each, escaped, htmlPage, SANS, WIDE_SANS } from "./page.ts";
import { type Skin, withButtons } from "./window-buttons.ts";

export type DialogField = { label: string; value: string; as?: "text" | "large" | "choice" | "tick" | "dots" };

export type Dialog = {
  theme: Theme;
  skin: Skin;
  title: string;
  icon?: "error" | "warning" | "question" | "info";
  heading?: string;
  paragraphs?: string[];
  tabs?: string[];
  /** Categories in the sidebar; the first one is selected. */
  side?: string[];
  fields?: DialogField[];
  details?: string[];
  buttons: string[];
  /** The dimmed application behind it; without it the dialog fills the image. */
  behind?: string;
  wide?: number;
};

export function dialogPage(dialog: Dialog): string {
  const box = `<div class="dlg">${inside(dialog)}</div>`;
  if (dialog.behind === undefined) return htmlPage(dialogCss(dialog, true), box);
  const frame = `<iframe class="app" srcdoc="${escaped(dialog.behind)}"></iframe><div class="dim"></div>`;
  return htmlPage(dialogCss(dialog, false), `${frame}<div class="mid">${box}</div>`);
}

function inside(dialog: Dialog): string {
  const tabs = each(dialog.tabs ?? [], (tab, at) => `<span class="${at === 0 ? "on" : ""}">${escaped(tab)}</span>`);
  const side = each(dialog.side ?? [], (item, at) => `<div class="${at === 0 ? "on" : ""}">${escaped(item)}</div>`);
  const details = each(dialog.details ?? [], (line) => `<div>${escaped(line)}</div>`);
  const buttons = each(dialog.buttons, (text, at) => `<b class="${at === 0 ? "go" : ""}">${escaped(text)}</b>`);
  return `<div class="bar">${withButtons(dialog.skin, "currentColor", escaped(dialog.title))}</div>
    ${tabs && `<div class="tabs">${tabs}</div>`}
    <div class="row">${side && `<div class="side">${side}</div>`}
      <div class="main">${dialog.icon ? icon(dialog.icon) : ""}<div class="say">
        ${dialog.heading ? `<h1>${escaped(dialog.heading)}</h1>` : ""}
        ${each(dialog.paragraphs ?? [], (text) => `<p>${escaped(text)}</p>`)}
        ${each(dialog.fields ?? [], field)}
        ${details && `<div class="det">${details}</div>`}
      </div></div></div>
    <div class="btns">${buttons}</div>`;
}

function field({ label, value, as = "text" }: DialogField): string {
  if (as === "tick")
    return `<div class="f"><label></label><span>${tick(value === "on")} ${escaped(label)}</span></div>`;
  const shown = as === "dots" ? "•".repeat(value.length) : escaped(value);
  return `<div class="f"><label>${escaped(label)}</label><span class="in ${as}">${shown}${as === "choice" ? "<i>▾</i>" : ""}</span></div>`;
}

function tick(on: boolean): string {
  const mark = on ? `<path d="M3 7l3 3 5-6" stroke="#fff" stroke-width="1.8" fill="none"/>` : "";
  return `<svg width="14" height="14" style="vertical-align:-2px"><rect x=".5" y=".5" width="13" height="13" rx="2" fill="${on ? "#2f6fde" : "none"}" stroke="#8a8f99"/>${mark}</svg>`;
}

function icon(which: NonNullable<Dialog["icon"]>): string {
  const fill = { error: "#d93025", warning: "#f0a30a", question: "#2f6fde", info: "#2f6fde" }[which];
  const mark = {
    error: `<path d="M14 14l12 12M26 14L14 26" stroke="#fff" stroke-width="3"/>`,
    warning: `<path d="M20 11v11M20 26v3" stroke="#fff" stroke-width="3"/>`,
    question: `<path d="M15 16a5 5 0 1 1 7 5q-2 1-2 4M20 28v2" stroke="#fff" stroke-width="2.6" fill="none"/>`,
    info: `<path d="M20 18v11M20 11v3" stroke="#fff" stroke-width="3"/>`,
  }[which];
  return `<svg class="ic" width="40" height="40"><circle cx="20" cy="20" r="18" fill="${fill}"/>${mark}</svg>`;
}

function dialogCss({ theme, skin, wide = 520 }: Dialog, whole: boolean): string {
  const dark = theme === "dark";
  const [ground, text, line, input] = dark
    ? ["#2b2d31", "#e3e5e8", "#44474e", "#1f2124"]
    : ["#f6f6f7", "#1c1d20", "#cfd2d8", "#fff"];
  const bar = {
    mac: dark ? "#3a3b3f" : "#e6e5e7",
    windows: dark ? "#202124" : "#fff",
    gnome: dark ? "#303236" : "#ebebed",
  }[skin];
  const place = whole
    ? "height:100%"
    : `width:${wide}px;border-radius:9px;overflow:hidden;box-shadow:0 18px 60px #0009;border:1px solid ${line}`;
  return `body{font:13px/1.45 ${skin === "gnome" ? WIDE_SANS : SANS};color:${text};background:${ground}}
    .app{position:absolute;border:0;width:100%;height:100%}
    .dim{position:absolute;inset:0;background:#000${dark ? "9" : "7"}}
    .mid{position:absolute;inset:0;display:flex;align-items:center;justify-content:center}
    .dlg{${place};background:${ground};display:flex;flex-direction:column}
    .bar{display:flex;justify-content:space-between;align-items:center;padding:7px 12px;background:${bar};border-bottom:1px solid ${line};font-size:12.5px;${skin === "windows" ? "" : "font-weight:bold"}}
    .bar .t{flex:1;${skin === "windows" ? "" : "text-align:center"};white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
    .bar i{width:54px}
    .tabs{display:flex;gap:2px;padding:8px 12px 0;border-bottom:1px solid ${line}}
    .tabs span{padding:5px 13px}
    .tabs .on{border-bottom:2px solid #2f6fde}
    .row{display:flex;flex:1;min-height:0}
    .side{width:150px;border-right:1px solid ${line};padding:8px 0}
    .side div{padding:5px 14px}
    .side .on{background:#2f6fde;color:#fff}
    .main{display:flex;gap:16px;padding:18px 20px;flex:1;min-width:0}.ic{flex:none}.say{flex:1;min-width:0}
    h1{font-size:16px;margin:0 0 8px;line-height:1.3}p{margin:0 0 9px}
    .f{display:flex;align-items:center;margin:7px 0;gap:10px}
    .f label{width:128px;text-align:right;opacity:.85;flex:none}
    .in{flex:1;border:1px solid ${line};background:${input};border-radius:4px;padding:4px 8px;white-space:nowrap;overflow:hidden}
    .in.large{font-size:19px;font-weight:bold;padding:8px}
    .in i{float:right;font-style:normal}
    .det{background:${input};border:1px solid ${line};padding:7px 9px;font:11.5px/1.5 "DejaVu Sans Mono",monospace;margin-top:8px;white-space:pre;overflow:hidden}
    .btns{display:flex;justify-content:flex-end;gap:9px;padding:11px 16px;border-top:1px solid ${line};${skin === "windows" ? "flex-direction:row" : "flex-direction:row-reverse;justify-content:flex-start"}}
    .btns b{font-weight:normal;border:1px solid ${line};border-radius:5px;padding:5px 17px;background:${dark ? "#3a3d43" : "#fff"}}
    .btns .go{background:#2f6fde;color:#fff;border-color:#2f6fde}`;
}
