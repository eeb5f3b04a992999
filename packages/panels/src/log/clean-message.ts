import { PANELS_LIMITS } from "@backplane/contract/panels";

/** Control characters but for tabs and line ends: no database keeps all of them, and nobody can read one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNREADABLE = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
const REPLACEMENT = "\ufffd";

/** A message as it can be kept: of a bounded length, and readable. */
export const cleanMessage = (message: string): string =>
  message.slice(0, PANELS_LIMITS.maxLogMessageLength).replaceAll(UNREADABLE, REPLACEMENT).toWellFormed();
