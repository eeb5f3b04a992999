import { SOCKET_LIMITS } from "@backplane/contract/panels";

const { maxPayloadBytes } = SOCKET_LIMITS;
/** UTF-8 takes at most three bytes a UTF-16 unit, so most texts need no counting. */
const MAX_UTF8_BYTES_PER_UNIT = 3;

export const fitsOneMessage = (text: string): boolean =>
  text.length * MAX_UTF8_BYTES_PER_UNIT <= maxPayloadBytes || new TextEncoder().encode(text).length <= maxPayloadBytes;
