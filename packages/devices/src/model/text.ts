/** Control characters: nobody can read them, and not every database stores them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNREADABLE = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** Text that a device sent, with a limited length and readable; undefined unless it is text. */
export const cleanText = (value: unknown, maxLength: number): string | undefined =>
  typeof value === "string" ? value.slice(0, maxLength).replaceAll(UNREADABLE, "\ufffd").toWellFormed() : undefined;
