import type { Theme } from "../spec.ts";
import { each, escaped, htmlPage, MONO, NARROW_MONO, SANS } from "./page.ts";
import { type Skin, withButtons } from "./window-buttons.ts";

export type Editor = {
  theme: Theme;
  skin: Skin;
  windowTitle: string;
  menu: string[];
  treeTitle: string;
  /** Two spaces per level; `*` marks the open file. */
  tree: string[];
  /** The first one is active. */
  tabs: string[];
  crumbs?: string;
  code: string;
  firstLine?: number;
  comment?: "//" | "#" | "--";
  panel?: { tabs: string[]; lines: string[] };
  status: [string, string];
  font?: "wide" | "narrow";
};

export function editorPage(editor: Editor): string {
  const { theme, skin, tree, tabs, firstLine = 1, comment = "//", panel } = editor;
  const code = editor.code
    .split("\n")
    .map((line, at) => `<div><em>${firstLine + at}</em>${highlighted(line, comment)}</div>`);
  const side = each(tree, (item) => {
    const level = (item.length - item.trimStart().length) / 2;
    const name = item.trim();
    return `<div class="${name.startsWith("*") ? "on" : ""}" style="padding-left:${12 + level * 14}px">${escaped(name.replace("*", ""))}</div>`;
  });
  const low = panel
    ? `<div class="low"><div class="ptabs">${each(panel.tabs, (tab, at) => `<span class="${at === 0 ? "on" : ""}">${escaped(tab)}</span>`)}</div><pre>${panel.lines.map(escaped).join("\n")}</pre></div>`
    : "";
  return htmlPage(
    editorCss(theme, editor.font ?? "wide"),
    `<div class="bar">${withButtons(skin, "currentColor", escaped(editor.windowTitle))}</div>
    <div class="menu">${each(editor.menu, (item) => `<span>${escaped(item)}</span>`)}</div>
    <div class="mid"><div class="act">${"<u></u>".repeat(5)}</div><div class="tree"><h6>${escaped(editor.treeTitle)}</h6>${side}</div>
      <div class="ed"><div class="tabs">${each(tabs, (tab, at) => `<span class="${at === 0 ? "on" : ""}">${escaped(tab)} ×</span>`)}</div>
      ${editor.crumbs ? `<div class="cr">${escaped(editor.crumbs)}</div>` : ""}<pre class="code">${code.join("")}</pre>${low}</div></div>
    <div class="st"><span>${escaped(editor.status[0])}</span><span>${escaped(editor.status[1])}</span></div>`,
  );
}

const WORDS =
  /\b(const|let|static|void|int|uint8_t|uint16_t|uint32_t|float|bool|return|if|else|for|while|struct|class|def|import|from|async|await|export|function|type|fn|pub|impl|use|mut|self|switch|case|break|include|define|signal|process|begin|end|is|entity|port|in|out|SELECT|FROM|WHERE|JOIN|ON|CREATE|TABLE|with|as|try|except|new)\b/g;

function highlighted(line: string, comment: string): string {
  const from = commentStart(line, comment);
  const html = line
    .slice(0, from)
    .split(/("[^"]*"|'[^']*')/)
    .map((piece, at) => (at % 2 === 1 ? `<span class="s">${escaped(piece)}</span>` : plain(escaped(piece))));
  return `${html.join("")}<span class="k">${escaped(line.slice(from))}</span>`;
}

/** Where the line's comment starts, or the line's length. Markers inside quotes do not count. */
function commentStart(line: string, comment: string): number {
  const at = line.indexOf(comment);
  if (at === -1) return line.length;
  return (line.slice(0, at).split('"').length - 1) % 2 === 0 ? at : line.length;
}

function plain(piece: string): string {
  return piece
    .replace(WORDS, '<span class="q">$1</span>')
    .replace(/\b(0x[0-9a-fA-F]+|\d+(?:\.\d+)?)\b/g, '<span class="n">$1</span>');
}

function editorCss(theme: Theme, font: "wide" | "narrow"): string {
  const dark = theme === "dark";
  const [ground, side, line, text, dim] = dark
    ? ["#1e1e1e", "#252526", "#333", "#d4d4d4", "#858585"]
    : ["#fff", "#f3f3f3", "#ddd", "#1e1e1e", "#7a8594"];
  const [word, string, number, said] = dark
    ? ["#569cd6", "#ce9178", "#b5cea8", "#6a9955"]
    : ["#0033b3", "#067d17", "#1750eb", "#8c8c8c"];
  return `body{background:${ground};color:${text};font:13px ${SANS};display:flex;flex-direction:column}
    .bar{display:flex;align-items:center;background:${dark ? "#323233" : "#dcdcdc"};padding:6px 12px;font-size:12px;flex:none}
    .bar .t{flex:1;text-align:center}
    .bar i{width:54px}
    .menu{display:flex;gap:14px;padding:3px 12px;background:${dark ? "#323233" : "#e8e8e8"};font-size:12px;flex:none}
    .mid{flex:1;display:flex;min-height:0}
    .act{width:44px;background:${dark ? "#2c2c2c" : "#ececec"};padding:10px 13px;display:flex;flex-direction:column;gap:20px}
    .act u{width:18px;height:18px;border:1.6px solid ${dim};border-radius:4px}
    .tree{width:196px;flex:none;background:${side};overflow:hidden;font-size:12.5px;white-space:nowrap}
    .tree h6{font-size:11px;font-weight:normal;margin:9px 12px;opacity:.8}
    .tree div{padding:2.5px 12px}
    .tree .on{background:${dark ? "#37373d" : "#d6e3f7"}}
    .ed{flex:1;display:flex;flex-direction:column;min-width:0}
    .tabs{display:flex;background:${side};flex:none;overflow:hidden}
    .tabs span{padding:7px 14px;border-right:1px solid ${line};opacity:.65;white-space:nowrap}
    .tabs .on{background:${ground};opacity:1;border-top:2px solid #3b82f6}
    .cr{font-size:12px;color:${dim};padding:3px 16px;flex:none}
    pre{margin:0;overflow:hidden}
    .code{flex:1;font:13px/1.45 ${font === "wide" ? MONO : NARROW_MONO};padding:4px 0;min-height:0}
    .code em{display:inline-block;width:46px;text-align:right;margin-right:18px;color:${dim};font-style:normal}
    .q{color:${word}}
    .s{color:${string}}
    .n{color:${number}}
    .k{color:${said}}
    .low{flex:none;border-top:1px solid ${line};padding:6px 16px 8px}
    .ptabs{display:flex;gap:20px;font-size:11px;opacity:.85;margin-bottom:6px}
    .ptabs .on{border-bottom:1px solid}
    .low pre{font:12px/1.4 ${MONO}}
    .st{display:flex;justify-content:space-between;background:${dark ? "#007acc" : "#e0e4ea"};color:${dark ? "#fff" : "#333"};font-size:12px;padding:3px 12px;flex:none}`;
}
