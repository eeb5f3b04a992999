import { createAllowance } from "@backplane/kit/allowance";

/**
 * What a camera may send: 64 Mbit/s, twice that for a moment. Each packet, picture and text counts as more than its bytes: very
 * many small ones would keep this server busy as well.
 */
const BYTES_PER_SECOND = 8_388_608;
const BURST_BYTES = 2 * BYTES_PER_SECOND;
export const COST = { packet: 256, picture: 32_768, text: 16_384 } as const;
export const TOO_MUCH = "The camera sends more than 64 Mbit/s, or very many small pieces. Set it to less.";

/** `take` is false when it is too much. */
export const createRate = () => createAllowance({ burst: BURST_BYTES, perSecond: BYTES_PER_SECOND });
