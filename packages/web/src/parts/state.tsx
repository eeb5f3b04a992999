/** Round, diamond, square, ring: the shape says it before the colour does. */
export type Tone = "ok" | "warn" | "danger" | "off";

export function State({ tone, word }: { tone: Tone; word: string }) {
  return <span className={`state ${tone}`}>{word}</span>;
}
