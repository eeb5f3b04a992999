/** Text that is already HTML. Only the `html` tag creates it. */
export class Html {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  toString(): string {
    return this.#text;
  }
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");

type Piece = string | number | Html | readonly Html[];

function render(piece: Piece): string {
  if (piece instanceof Html) return piece.toString();
  return typeof piece === "object" ? piece.join("") : escapeHtml(String(piece));
}

/** A template whose values are escaped unless they are HTML themselves. */
export function html(parts: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(parts.reduce((text, part, index) => text + render(pieces[index - 1] ?? "") + part));
}
