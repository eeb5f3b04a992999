import { type CanvasWindow, canvasWindowPage } from "./canvas-window.ts";
import { each, escaped, NARROW_MONO } from "./page.ts";

export type Chip = { ref: string; value: string; x: number; y: number; left: string[]; right: string[] };
export type Part = {
  kind: "resistor" | "capacitor" | "diode" | "ground" | "power";
  ref: string;
  value: string;
  x: number;
  y: number;
};

export type Schematic = CanvasWindow & {
  block: { title: string; company: string; revision: string; date: string; sheet: string; file: string };
  chips: Chip[];
  parts: Part[];
  /** SVG paths. */
  wires?: string[];
  nets: { name: string; x: number; y: number }[];
  notes?: { text: string; x: number; y: number; large?: boolean }[];
};

const PIN = 26;
const CHIP_WIDE = 150;

/** A 1200 × 760 sheet, including frame and title block. */
export function schematicPage(sheet: Schematic): string {
  const dark = sheet.theme === "dark";
  const [paper, ink, wire, body, name] = dark
    ? ["#1a1d23", "#c5606b", "#4fbf67", "#2b2a20", "#58b6c9"]
    : ["#fbfaf3", "#84000a", "#00761c", "#fffcc2", "#005f6b"];
  const drawing = `<svg viewBox="0 0 1200 760" font-family='${NARROW_MONO}' font-size="13" fill="none" stroke="${ink}" stroke-width="1.4">
    <style>text{stroke:none;fill:${name}}.ref{fill:${name}}.net{fill:${dark ? "#d5d8dc" : "#111"}}.pin{fill:${ink};font-size:12px}.frame text{fill:${ink}}</style>
    ${frame(sheet.block, ink)}
    ${each(sheet.wires ?? [], (path) => `<path d="${path}" stroke="${wire}"/>`)}
    ${each(sheet.chips, (chip) => chipOf(chip, body, wire))}${each(sheet.parts, partOf)}
    ${each(sheet.nets, ({ name: net, x, y }) => `<path d="M${x - 70} ${y}H${x}" stroke="${wire}"/><text class="net" x="${x - 66}" y="${y - 4}">${escaped(net)}</text>`)}
    ${each(sheet.notes ?? [], ({ text, x, y, large }) => `<text x="${x}" y="${y}" font-size="${large ? 22 : 13}">${escaped(text)}</text>`)}
  </svg>`;
  return canvasWindowPage(sheet, drawing, paper);
}

function chipOf({ ref, value, x, y, left, right }: Chip, body: string, wire: string): string {
  const high = Math.max(left.length, right.length) * PIN + 14;
  const pins = (names: string[], isLeft: boolean) =>
    each(names, (pin, at) => {
      const py = y + 20 + at * PIN;
      const [from, to, end] = isLeft ? [x - 22, x, x - 60] : [x + CHIP_WIDE, x + CHIP_WIDE + 22, x + CHIP_WIDE + 60];
      const lead = isLeft ? from : to;
      const place = isLeft ? `x="${x + 6}"` : `x="${x + CHIP_WIDE - 6}" text-anchor="end"`;
      const number = isLeft ? at + 1 : left.length + right.length - at;
      return `<path d="M${from} ${py}H${to}"/><path d="M${lead} ${py}H${end}" stroke="${wire}"/><text class="pin" ${place} y="${py + 4}">${escaped(pin)}</text><text class="pin" x="${isLeft ? from + 6 : from + 6}" y="${py - 3}">${number}</text>`;
    });
  return `<rect x="${x}" y="${y}" width="${CHIP_WIDE}" height="${high}" fill="${body}"/><text class="ref" x="${x}" y="${y - 20}">${escaped(ref)}</text><text class="ref" x="${x}" y="${y - 5}">${escaped(value)}</text>${pins(left, true)}${pins(right, false)}`;
}

function partOf({ kind, ref, value, x, y }: Part): string {
  const text = `<text x="${x + 14}" y="${y + 14}">${escaped(ref)}</text><text x="${x + 14}" y="${y + 29}">${escaped(value)}</text>`;
  if (kind === "ground")
    return `<path d="M${x} ${y}v12M${x - 11} ${y + 12}h22M${x - 7} ${y + 16}h14M${x - 3} ${y + 20}h6"/><text x="${x - 13}" y="${y + 35}">${escaped(value)}</text>`;
  if (kind === "power")
    return `<path d="M${x} ${y}v-12M${x - 8} ${y - 8}l8 -8 8 8"/><text x="${x - 14}" y="${y - 20}">${escaped(value)}</text>`;
  const shape = {
    resistor: `M${x} ${y - 14}v12M${x - 6} ${y - 2}h12v34h-12zM${x} ${y + 32}v12`,
    capacitor: `M${x} ${y - 14}v24M${x - 11} ${y + 10}h22M${x - 11} ${y + 16}h22M${x} ${y + 16}v28`,
    diode: `M${x} ${y - 14}v16M${x - 9} ${y + 20}h18l-9 -18zM${x - 9} ${y + 2}h18M${x} ${y + 20}v24`,
  }[kind];
  return `<path d="${shape}"/>${text}`;
}

function frame(block: Schematic["block"], ink: string): string {
  const marks = Array.from(
    { length: 6 },
    (_, at) =>
      `<text x="${100 + at * 195}" y="22" font-size="11">${at + 1}</text><text x="${100 + at * 195}" y="748" font-size="11">${at + 1}</text>`,
  );
  return `<g class="frame"><rect x="12" y="8" width="1176" height="744" stroke="${ink}"/><rect x="28" y="26" width="1144" height="708"/>${marks.join("")}
    <path d="M780 630H1172M780 656H1172M780 690H1172M780 630V734M1010 690V734M780 712H1172"/>
    <text x="788" y="648" font-size="12">${escaped(block.company)}</text><text x="788" y="680" font-size="18" font-weight="bold">Title: ${escaped(block.title)}</text>
    <text x="788" y="706" font-size="12">Size: A4  Date: ${escaped(block.date)}</text><text x="1018" y="706" font-size="12">Rev: ${escaped(block.revision)}</text>
    <text x="788" y="728" font-size="12">File: ${escaped(block.file)}</text><text x="1018" y="728" font-size="12">Id: ${escaped(block.sheet)}</text></g>`;
}
