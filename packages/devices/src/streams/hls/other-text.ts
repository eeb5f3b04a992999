/** A key may look like text. */
const MAX_KEY_BYTES = 32;
const LOOKED_AT_BYTES = 512;
/** What text does not have: control codes besides white space, and bytes that are not UTF-8. */
const NO_TEXT = /(?!\s)[\p{Cc}\ufffd]/u;

/**
 * A page or data of a program, not video or subtitles: a playlist can name any server that may be reached from here, also those
 * whose pages are not for whoever looks.
 */
export function isOtherText(bytes: Buffer): boolean {
  const text = bytes.toString("utf8", 0, LOOKED_AT_BYTES).replace(/^\ufeff/, "");
  if (bytes.length <= MAX_KEY_BYTES || text.startsWith("WEBVTT")) return false;
  // The last character may be cut.
  return !NO_TEXT.test(text.slice(0, -1));
}
