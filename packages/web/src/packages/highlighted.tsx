import { highlight } from "./highlight.ts";

/** A text with what was searched marked in it. */
export function Highlighted({ text, query }: { text: string; query: string }) {
  return highlight(text, query).map((piece, place) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
    piece.hit ? <mark key={place}>{piece.text}</mark> : piece.text,
  );
}
