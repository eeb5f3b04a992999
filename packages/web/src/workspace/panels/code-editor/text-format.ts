/** How a file was written, so that saving only changes what was typed. */
export type TextFormat = { newline: "\n" | "\r\n" | "\r"; hasMark: boolean };

export const PLAIN_FORMAT: TextFormat = { newline: "\n", hasMark: false };

export type DecodedText = { text: string; format: TextFormat };

/** The text with plain newlines, and its format; undefined when the bytes are not UTF-8 text. */
export function decodeText(bytes: Uint8Array): DecodedText | undefined {
  if (bytes.includes(0)) return undefined;
  let raw: string;
  try {
    raw = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
  const hasMark = raw.startsWith("\ufeff");
  const text = hasMark ? raw.slice(1) : raw;
  return { text: text.replace(/\r\n?/g, "\n"), format: { newline: newlineOf(text), hasMark } };
}

export function encodeText(text: string, { newline, hasMark }: TextFormat): Uint8Array<ArrayBuffer> {
  const lines = newline === "\n" ? text : text.replaceAll("\n", newline);
  return new TextEncoder().encode(hasMark ? `\ufeff${lines}` : lines);
}

/** The most frequent kind of newline. */
function newlineOf(text: string): TextFormat["newline"] {
  const counts = { "\n": 0, "\r\n": 0, "\r": 0 };
  for (const [newline] of text.matchAll(/\r\n|\r|\n/g)) counts[newline as TextFormat["newline"]] += 1;
  if (counts["\r\n"] > counts["\n"] && counts["\r\n"] >= counts["\r"]) return "\r\n";
  return counts["\r"] > counts["\n"] ? "\r" : "\n";
}
