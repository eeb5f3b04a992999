/** What the server takes as one message: a result as large as it may be, and the words around it. */
const MAX_MESSAGE_BYTES = 524_288 + 65_536;
/** UTF-8 takes at most three bytes a UTF-16 unit, so most texts need no counting. */
const MAX_UTF8_BYTES_PER_UNIT = 3;

export const fitsOneMessage = (text: string): boolean =>
  text.length * MAX_UTF8_BYTES_PER_UNIT <= MAX_MESSAGE_BYTES ||
  new TextEncoder().encode(text).length <= MAX_MESSAGE_BYTES;
