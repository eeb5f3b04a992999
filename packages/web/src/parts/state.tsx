/** Round, diamond, square, ring: the shape carries the state, not only the colour. */
export type Tone = "ok" | "warn" | "danger" | "off";

export function State({ tone, word }: { tone: Tone; word: string }) {
  return <span className={`state ${tone}`}>{word}</span>;
}
