type Checksum = (bytes: Uint8Array) => number;

/**
 * A cyclic redundancy check: highest bit first, from zero, nothing inverted. The polynomial says which one it is. By a
 * table, because noise makes readers try a checksum at every byte.
 */
function crc(bits: 8 | 16, polynomial: number): Checksum {
  const top = 1 << (bits - 1);
  const mask = 2 ** bits - 1;
  const table = Uint16Array.from({ length: 256 }, (_, byte) => {
    let rest = byte << (bits - 8);
    for (let bit = 0; bit < 8; bit += 1) rest = (rest & top) === 0 ? rest << 1 : (rest << 1) ^ polynomial;
    return rest & mask;
  });
  return (bytes) => {
    let rest = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = ((rest >> (bits - 8)) ^ (bytes[at] as number)) & 0xff;
      rest = ((rest << 8) ^ (table[changed] as number)) & mask;
    }
    return rest;
  };
}

/** CRC-16/XMODEM: VESC. */
export const crc16Xmodem: Checksum = crc(16, 0x1021);
/** CRC-16/UMTS: Dynamixel. */
export const crc16Umts: Checksum = crc(16, 0x8005);
/** CRC-8: KISS. */
export const crc8: Checksum = crc(8, 0x07);
/** CRC-8/DVB-S2: MSP 2. */
export const crc8DvbS2: Checksum = crc(8, 0xd5);
