import type { Theme } from "../spec.ts";
import { type Chart, chart } from "./chart.ts";
import { each, escaped, htmlPage, SANS, WIDE_SANS } from "./page.ts";

export type Tile = { label: string; value: string; hint?: string; tone?: "good" | "warn" | "bad" };

export type Dashboard = {
  theme: Theme;
  font?: "narrow" | "wide";
  product: string;
  nav: string[];
  /** Navigation in a sidebar instead of the top bar. */
  hasSide?: boolean;
  crumbs?: string;
  title: string;
  controls: string[];
  banner?: string;
  tiles: Tile[];
  charts: Chart[];
  table?: { title: string; head: string[]; rows: string[][] };
  user?: string;
};

export function dashboardPage(board: Dashboard): string {
  const nav = each(board.nav, (item, at) => `<div class="${at === 0 ? "on" : ""}"><u></u>${escaped(item)}</div>`);
  const top = `<div class="top"><span class="logo"></span><b>${escaped(board.product)}</b>${board.hasSide ? "" : `<nav>${nav}</nav>`}<span class="search">Search or jump to…</span><span class="user">${escaped(board.user ?? "")}</span></div>`;
  const main = `<div class="main">
    ${board.crumbs ? `<div class="crumbs">${escaped(board.crumbs)}</div>` : ""}
    <div class="head"><h1>${escaped(board.title)}</h1><div class="ctl">${each(board.controls, (text) => `<span>${escaped(text)} ▾</span>`)}</div></div>
    ${board.banner ? `<div class="ban">${escaped(board.banner)}</div>` : ""}
    <div class="tiles">${each(board.tiles, tile)}</div>
    <div class="charts">${each(board.charts, (one) => chart(one, board.theme))}</div>
    ${board.table ? table(board.table) : ""}</div>`;
  return htmlPage(
    dashboardCss(board),
    `${top}<div class="below">${board.hasSide ? `<aside>${nav}</aside>` : ""}${main}</div>`,
  );
}

function tile({ label, value, hint, tone }: Tile): string {
  return `<div class="card tile"><div class="l">${escaped(label)}</div><div class="v ${tone ?? ""}">${escaped(value)}</div><div class="h">${escaped(hint ?? "")}</div></div>`;
}

function table({ title, head, rows }: NonNullable<Dashboard["table"]>): string {
  const cells = (row: string[], as: string) => `<tr>${each(row, (cell) => `<${as}>${escaped(cell)}</${as}>`)}</tr>`;
  return `<div class="card tab"><h2>${escaped(title)}</h2><table>${cells(head, "th")}${each(rows, (row) => cells(row, "td"))}</table></div>`;
}

function dashboardCss({ theme, font = "narrow" }: Dashboard): string {
  const dark = theme === "dark";
  const [ground, card, line, text] = dark
    ? ["#111217", "#181b1f", "#2c3036", "#d8dadf"]
    : ["#f2f4f7", "#fff", "#dde1e8", "#1f2530"];
  return `body{background:${ground};color:${text};font:13px/1.4 ${font === "wide" ? WIDE_SANS : SANS};display:flex;flex-direction:column}
    .top{display:flex;align-items:center;gap:12px;padding:9px 16px;background:${card};border-bottom:1px solid ${line};flex:none}
    .logo{width:20px;height:20px;border-radius:6px;background:linear-gradient(135deg,#f59a23,#e0452b)}
    nav{display:flex;gap:16px;margin-left:14px}
    nav u{display:none}
    nav .on{color:#4c8dff}
    .search{margin-left:auto;border:1px solid ${line};padding:3px 60px 3px 10px;border-radius:5px;opacity:.6;font-size:12px;white-space:nowrap}
    .user{font-size:12px;white-space:nowrap}
    .below{display:flex;flex:1;min-height:0}
    aside{width:168px;flex:none;border-right:1px solid ${line};background:${card};padding:10px 0}
    aside div{padding:7px 14px;display:flex;gap:9px;align-items:center}
    aside u{width:12px;height:12px;border:1.5px solid currentColor;border-radius:3px;opacity:.6}
    aside .on{background:#4c8dff22;color:#4c8dff}
    .main{flex:1;padding:14px 18px;min-width:0;display:flex;flex-direction:column;gap:12px}
    .crumbs{font-size:12px;opacity:.65;margin-bottom:-8px}
    .head{display:flex;align-items:center;gap:14px}
    h1{font-size:20px;margin:0;white-space:nowrap}
    .ctl{margin-left:auto;display:flex;gap:8px}
    .ctl span{border:1px solid ${line};background:${card};border-radius:4px;padding:3px 9px;font-size:12px;white-space:nowrap}
    .ban{background:${dark ? "#3d2c10" : "#fff3d6"};border:1px solid #d99a2b;padding:8px 12px;border-radius:5px}
    .tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(130px,1fr));gap:12px}
    .card{background:${card};border:1px solid ${line};border-radius:6px;padding:10px 12px}
    .l{font-size:12px;opacity:.75}
    .v{font-size:25px;font-weight:bold;line-height:1.3}
    .h{font-size:11px;opacity:.6;min-height:1em}
    .good{color:${dark ? "#73bf69" : "#1e7b34"}}
    .warn{color:${dark ? "#f2a93b" : "#a36100"}}
    .bad{color:${dark ? "#f2495c" : "#c4162a"}}
    .charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(280px,1fr));gap:12px;flex:1;min-height:0}
    .chart{display:flex;flex-direction:column;min-height:0;overflow:hidden}
    h2{font-size:13px;margin:0 0 6px}
    .chart svg{flex:1;min-height:0;width:100%}
    .leg{font-size:11px;display:flex;gap:12px;flex-wrap:wrap}
    .leg s{display:inline-block;width:12px;height:3px;margin-right:5px;vertical-align:middle}
    .tab{flex:none}
    table{width:100%;border-collapse:collapse;font-size:12px}
    th{text-align:left;opacity:.65;font-weight:normal}
    td,th{padding:4px 8px 4px 0;border-top:1px solid ${line};white-space:nowrap}`;
}
