/** Reads bits from the left, as parameters of H.264 have them. After the end everything is 0. */
export type Bits = {
  bit(): number;
  bits(count: number): number;
  /** Exp-Golomb numbers of ITU-T H.264, 9.1. One that is too long is read as NaN. */
  unsigned(): number;
  signed(): number;
};

const MAX_ZEROS = 24;

export function createBits(bytes: Uint8Array): Bits {
  let at = 0;
  function bit(): number {
    const value = ((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1;
    at += 1;
    return value;
  }
  function bits(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i += 1) value = 2 * value + bit();
    return value;
  }
  function unsigned(): number {
    let zeros = 0;
    while (bit() === 0) {
      zeros += 1;
      if (zeros > MAX_ZEROS) return Number.NaN;
    }
    return 2 ** zeros + bits(zeros) - 1;
  }
  function signed(): number {
    const number = unsigned();
    return number % 2 === 1 ? (number + 1) / 2 : -number / 2;
  }
  return { bit, bits, unsigned, signed };
}
