/** RFC 6455, section 7.4.1: the codes that we send, and the one that means "no code". */
export const CLOSE = {
  normal: 1000,
  goingAway: 1001,
  protocolError: 1002,
  textOnly: 1003,
  noneGiven: 1005,
  invalidText: 1007,
  tooLarge: 1009,
  ourFault: 1011,
} as const;

/** Codes that may be on the wire: those registered for frames, and the ranges of libraries and applications. */
export function isCloseCode(code: number): boolean {
  if (code >= 3000) return code <= 4999;
  return code >= 1000 && code <= 1014 && (code < 1004 || code > 1006);
}
