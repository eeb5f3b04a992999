const ELLIPSIS = "…";

/** Nearly every label: nothing in it to look for. */
const PLAIN_ASCII = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * What others wrote, for people to read: one line, no longer than it may be, without characters that have no face of
 * their own but change how the rest is read (controls, and what turns the direction of writing).
 */
export function plainText(text: string, maxLength: number): string {
  if (text.length <= maxLength && PLAIN_ASCII.test(text)) return text;
  const seen = text
    .replace(/\p{Bidi_Control}/gu, "")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
  if (seen.length <= maxLength) return seen;
  // By characters, not by halves of them.
  return [...seen].slice(0, maxLength - 1).join("") + ELLIPSIS;
}
