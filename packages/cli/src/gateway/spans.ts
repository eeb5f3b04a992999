import type { Terminal, Tone } from "../terminal.ts";

/** A piece of a line, and how it looks. */
export type Span = { text: string; tone?: Tone };

export const painted = (spans: readonly Span[], paint: Terminal["paint"]): string =>
  spans.map(({ text, tone }) => (tone ? paint(tone, text) : text)).join("");

/** Cut to a width before it is painted: colours take no room. */
export function fitted(spans: readonly Span[], columns: number): Span[] {
  let left = columns;
  return spans.flatMap((span) => {
    const text = span.text.slice(0, left);
    left -= text.length;
    return text === "" ? [] : [{ ...span, text }];
  });
}
