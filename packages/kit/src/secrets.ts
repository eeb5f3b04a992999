import { hash, randomFillSync } from "node:crypto";

const SECRET_BYTES = 32;

/** Random bytes are read from the kernel in blocks of this size, because each call is expensive. */
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

/** 256 random bits. The prefix says what kind of secret it is, also to scanners that look for leaked ones. */
export const newSecret = (prefix: "tok_" | "bpk_" | "bpd_" | "bpc_" | "bpr_" | "int_" | "inv_" | "rst_"): string =>
  `${prefix}${takeRandomBytes(SECRET_BYTES).toString("base64url")}`;

/** A plain hash is enough: a secret of 256 random bits cannot be guessed. */
export const hashSecret = (secret: string): string => hash("sha256", secret, "hex");
