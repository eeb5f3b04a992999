import { randomFillSync } from "node:crypto";

/** The kernel is asked for this much at a time: asking costs more than what it gives. */
const POOL_BYTES = 4_096;

const pool = Buffer.alloc(POOL_BYTES);
let usedBytes = POOL_BYTES;

/** Random bytes from the kernel's generator, each handed out once and then wiped. */
export function takeRandomBytes(count: number): Buffer {
  if (usedBytes + count > POOL_BYTES) {
    randomFillSync(pool);
    usedBytes = 0;
  }
  const bytes = Buffer.from(pool.subarray(usedBytes, usedBytes + count));
  pool.fill(0, usedBytes, usedBytes + count);
  usedBytes += count;
  return bytes;
}
