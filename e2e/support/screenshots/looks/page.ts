export const SANS = `"Liberation Sans", Arial, sans-serif`;
export const WIDE_SANS = `"DejaVu Sans", Verdana, sans-serif`;
export const MONO = `"DejaVu Sans Mono", Consolas, monospace`;
export const NARROW_MONO = `"Liberation Mono", "Courier New", monospace`;
export const SERIF = `"Liberation Serif", "Times New Roman", serif`;

export function htmlPage(css: string, body: string): string {
  const reset = "*{box-sizing:border-box}html,body{margin:0;height:100%;overflow:hidden}";
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><style>${reset}${css}</style></head><body>${body}</body></html>`;
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

export function each<Item>(items: readonly Item[], html: (item: Item, index: number) => string): string {
  return items.map(html).join("");
}

/** Joins a planted secret from pieces, so that secret scanners do not report it. */
export function planted(...pieces: string[]): string {
  return pieces.join("");
}

/** A bumpy line between 0 and 1, the same for the same seed. */
export function bumpyLine(seed: number, points: number): number[] {
  return Array.from({ length: points }, (_, at) => {
    const slow = Math.sin(at / (7 + (seed % 5)) + seed);
    const quick = Math.sin(at * 1.9 + seed * 3.1) * 0.35;
    const drift = Math.cos(at / 23 + seed * 0.7) * 0.6;
    return 0.5 + (slow + quick + drift) / 4.2;
  });
}
