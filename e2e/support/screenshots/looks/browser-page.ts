import type { Theme } from "../spec.ts";
import { each, escaped, htmlPage, SANS, SERIF, WIDE_SANS } from "./page.ts";
import { type Skin, windowButtons } from "./window-buttons.ts";

export type Block =
  | { as: "h1" | "h2" | "p" | "note" | "big"; text: string }
  | { as: "code" | "list"; lines: string[] }
  | { as: "table"; head: string[]; rows: string[][] };

export type BrowserPage = {
  theme: Theme;
  skin: Skin;
  /** The first one is active. */
  tabs: string[];
  address: string;
  site: string;
  links: string[];
  sideTitle?: string;
  side?: string[];
  font?: "sans" | "wide" | "serif";
  blocks: Block[];
};

export function browserPage(page: BrowserPage): string {
  const tabs = each(
    page.tabs,
    (tab, at) => `<span class="${at === 0 ? "on" : ""}"><u></u><i>${escaped(tab)}</i> ×</span>`,
  );
  const side = page.side
    ? `<aside><h6>${escaped(page.sideTitle ?? "")}</h6>${each(page.side, (item, at) => `<div class="${at === 1 ? "on" : ""}">${escaped(item)}</div>`)}</aside>`
    : "";
  return htmlPage(
    browserCss(page),
    `<div class="tabs">${page.skin === "mac" ? windowButtons("mac", "") : ""}${tabs}<b>+</b>${page.skin === "mac" ? "" : `<em>${windowButtons(page.skin, "currentColor")}</em>`}</div>
    <div class="adr"><svg width="78" height="16" fill="none" stroke="currentColor" stroke-width="1.6"><path d="M12 3L7 8l5 5M32 3l5 5-5 5M66 4a6 6 0 1 0 2 5"/></svg><span>${escaped(page.address)}</span></div>
    <header><b>${escaped(page.site)}</b>${each(page.links, (link) => `<span>${escaped(link)}</span>`)}</header>
    <div class="row">${side}<main>${each(page.blocks, blockOf)}</main></div>`,
  );
}

function blockOf(block: Block): string {
  if ("text" in block) {
    const tag = block.as === "note" || block.as === "big" ? "div" : block.as;
    return `<${tag} class="${block.as}">${escaped(block.text)}</${tag}>`;
  }
  if ("lines" in block) {
    if (block.as === "code") return `<pre>${block.lines.map(escaped).join("\n")}</pre>`;
    return `<ul>${each(block.lines, (line) => `<li>${escaped(line)}</li>`)}</ul>`;
  }
  const cells = (row: string[], as: string) => `<tr>${each(row, (cell) => `<${as}>${escaped(cell)}</${as}>`)}</tr>`;
  return `<table>${cells(block.head, "th")}${each(block.rows, (row) => cells(row, "td"))}</table>`;
}

function browserCss({ theme, font = "sans" }: BrowserPage): string {
  const dark = theme === "dark";
  const [ground, chrome, line, text] = dark
    ? ["#16181d", "#2b2d33", "#383b42", "#d9dce1"]
    : ["#fff", "#dfe2e7", "#d6dae0", "#20242b"];
  const family = { sans: SANS, wide: WIDE_SANS, serif: SERIF }[font];
  return `body{background:${ground};color:${text};font:12.5px ${SANS};display:flex;flex-direction:column}
    .tabs{display:flex;align-items:center;gap:4px;background:${chrome};padding:7px 10px 0;flex:none}
    .tabs>svg{margin:0 8px 6px 0}
    .tabs span{display:flex;gap:7px;align-items:center;width:210px;padding:6px 10px;border-radius:7px 7px 0 0}
    .tabs i{font-style:normal;flex:1;overflow:hidden;white-space:nowrap}
    .tabs .on{background:${ground}}
    .tabs u{width:13px;height:13px;border-radius:3px;background:#5b8def}
    .tabs em{margin-left:auto}
    .adr{display:flex;gap:12px;align-items:center;padding:6px 12px;border-bottom:1px solid ${line};flex:none}
    .adr span{flex:1;background:${dark ? "#24262c" : "#f0f2f5"};border-radius:14px;padding:5px 14px;white-space:nowrap;overflow:hidden}
    header{display:flex;gap:20px;align-items:center;padding:10px 22px;border-bottom:1px solid ${line};flex:none}
    header b{font-size:15px}
    .row{display:flex;flex:1;min-height:0}
    aside{width:200px;flex:none;border-right:1px solid ${line};padding:14px 18px;line-height:2}
    aside h6{margin:0;font-size:11px;opacity:.7}
    aside .on{color:#3d7bea;font-weight:bold}
    main{padding:16px 30px;max-width:860px;font:15px/1.55 ${family};min-width:0}
    h1{font-size:27px;margin:4px 0 12px;line-height:1.25}
    h2{font-size:19px;margin:18px 0 8px}
    .p{margin:0 0 11px}
    .note{border-left:4px solid #3d7bea;background:#3d7bea1c;padding:9px 13px;margin:10px 0}
    .big{font-size:36px;font-weight:bold;letter-spacing:2px;margin:16px 0;padding:14px;text-align:center;background:#8882}
    pre{background:${dark ? "#0e1013" : "#f4f5f7"};border:1px solid ${line};padding:10px 13px;font:12.5px/1.5 "DejaVu Sans Mono",monospace;overflow:hidden}
    ul{margin:0 0 12px;padding-left:22px}
    table{border-collapse:collapse;font-size:13px;margin:8px 0}
    td,th{border:1px solid ${line};padding:5px 11px;text-align:left}`;
}
