import type { Palette } from "../plot/palette.ts";

type Rgb = readonly [number, number, number];

/** `rgb(1 2 3)`, `rgb(1, 2, 3)` and `color(srgb 0.1 0.2 0.3)`, as browsers write the colours of a page. */
export function readRgb(colour: string): Rgb {
  const numbers = colour.match(/[\d.]+/g)?.map(Number) ?? [];
  const [r = 0, g = 0, b = 0] = numbers;
  return colour.startsWith("color") ? [r * 255, g * 255, b * 255] : [r, g, b];
}

const linear = (part: number): number =>
  part / 255 <= 0.040_45 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4;

/** Relative luminance, as WCAG has it. */
export const luminanceOf = ([r, g, b]: Rgb): number => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);

/** The ground of an amount from 0 to 1, and the ink that can be read on it. */
export type Amount = { ground: string; ink: "#000" | "#fff" };

/** One hue: more is stronger. Black or white has always 4.5:1 or more on it. */
export function amountOf(share: number, none: Rgb, all: Rgb): Amount {
  const at = Math.max(0, Math.min(1, share));
  const mixed = none.map((part, i) => Math.round(part + at * ((all[i] ?? 0) - part))) as unknown as Rgb;
  return { ground: `rgb(${mixed.join(" ")})`, ink: luminanceOf(mixed) > 0.179 ? "#000" : "#fff" };
}

/** Amounts in the colours of the page: from its ground to teal. */
export function amountsOf(palette: Palette): (share: number) => Amount {
  const [none, all] = [readRgb(palette.colour("sunken")), readRgb(palette.colour("series-2"))];
  return (share) => amountOf(share, none, all);
}
