import { type CanvasWindow, canvasWindowPage } from "./canvas-window.ts";
import { each, escaped, SANS } from "./page.ts";

export type Board = CanvasWindow & {
  /** In large type on the silk screen. */
  silk: { text: string; x: number; y: number; size: number }[];
  packages: { ref: string; x: number; y: number; pads: number; wide: number; high: number }[];
  /** Marked by the rule checker. */
  marks?: { text: string; x: number; y: number }[];
};

/** A 1100 × 700 board layout: two copper layers, pads, silk screen. */
export function boardPage(board: Board): string {
  const dark = board.theme === "dark";
  const [paper, outline, front, back, silk] = dark
    ? ["#001023", "#d0d2cd", "#c83434", "#4d7fc4", "#f2eda1"]
    : ["#e9ede4", "#555", "#b5421f", "#2d63a8", "#20301c"];
  const tracks = Array.from({ length: 26 }, (_, at) => {
    const x = 120 + ((at * 137) % 820);
    const y = 110 + ((at * 89) % 470);
    const bend = 30 + ((at * 53) % 90);
    return `<path d="M${x} ${y}h${bend}l26 ${at % 2 === 0 ? 26 : -26}h${bend / 2}" stroke="${at % 3 === 0 ? back : front}" stroke-width="${at % 4 === 0 ? 6 : 3}" opacity=".8"/><circle cx="${x}" cy="${y}" r="5" fill="#b8860b" stroke="none"/>`;
  });
  const drawing = `<svg viewBox="0 0 1100 700" fill="none" font-family='${SANS}'>
    <rect x="70" y="50" width="960" height="600" rx="18" stroke="${outline}" stroke-width="3" fill="${dark ? "#0a2a17" : "#dbe6cf"}"/>
    ${tracks.join("")}${each(board.packages, (one) => packageOf(one, front, silk))}
    ${each(board.silk, ({ text, x, y, size }) => `<text x="${x}" y="${y}" font-size="${size}" fill="${silk}" font-weight="bold">${escaped(text)}</text>`)}
    ${each(board.marks ?? [], ({ text, x, y }) => `<path d="M${x} ${y}l-12 -22h24z" fill="#ff4d4d"/><text x="${x + 16}" y="${y - 8}" font-size="13" fill="${dark ? "#ff9a9a" : "#a30000"}">${escaped(text)}</text>`)}
  </svg>`;
  return canvasWindowPage(board, drawing, paper);
}

function packageOf({ ref, x, y, pads, wide, high }: Board["packages"][number], copper: string, silk: string): string {
  const half = Math.ceil(pads / 2);
  const step = wide / half;
  const pad = (at: number, py: number) =>
    `<rect x="${x + at * step + step / 4}" y="${py}" width="${step / 2}" height="12" fill="${copper}"/>`;
  const row = Array.from({ length: half }, (_, at) => pad(at, y - 14) + pad(at, y + high + 2));
  return `<rect x="${x}" y="${y}" width="${wide}" height="${high}" stroke="${silk}" stroke-width="1.5"/>${row.join("")}<text x="${x + 5}" y="${y + high / 2 + 6}" font-size="15" fill="${silk}">${escaped(ref)}</text>`;
}
