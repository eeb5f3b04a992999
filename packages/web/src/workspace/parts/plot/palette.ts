const NAMES = [
  ...["text", "muted", "line", "line-strong", "surface", "sunken", "danger", "danger-soft", "warn", "warn-soft"],
  ...[
    "trace-2",
    "trace-3",
    "accent",
    "series-1",
    "series-2",
    "series-3",
    "series-4",
    "series-5",
    "series-6",
    "series-7",
    "series-8",
  ],
] as const;

/** Series beyond these repeat the colours, with dots on the line. */
export const SERIES_COLOURS = 8;
export const MAX_SERIES = 2 * SERIES_COLOURS;

/** The page's colours, as a canvas takes them. */
export type Palette = { colour(name: string): string; series(slot: number): string; font: string };

export function readPalette(element: HTMLElement): Palette {
  const probe = document.createElement("span");
  probe.hidden = true;
  element.append(probe);
  const colours = new Map<string, string>();
  for (const name of NAMES) {
    probe.style.color = `var(--${name})`;
    colours.set(name, getComputedStyle(probe).color);
  }
  probe.style.fontFamily = "var(--mono)";
  const font = `11px ${getComputedStyle(probe).fontFamily}`;
  probe.remove();
  const colour = (name: string) => colours.get(name) ?? "gray";
  return { colour, font, series: (slot) => colour(`series-${colourOf(slot)}`) };
}

/** Slots are counted from 1. */
export const colourOf = (slot: number): number => ((slot - 1) % SERIES_COLOURS) + 1;

const DASHES: Record<number, number[]> = { 3: [6, 3], 4: [1.5, 2.5], 7: [6, 3], 8: [1.5, 2.5] };

/** Dash belongs to the colour, so that lines also differ for people who see few colours. */
export const dashOf = (slot: number): number[] => DASHES[colourOf(slot)] ?? [];

/** Calls back when the page changes between light and dark. */
export function onTheme(listener: () => void): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const own = new MutationObserver(listener);
  own.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme", "style", "class"] });
  system.addEventListener("change", listener);
  return () => {
    own.disconnect();
    system.removeEventListener("change", listener);
  };
}
