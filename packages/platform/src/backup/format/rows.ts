import { createHash } from "node:crypto";

/** The values of both engines: integers up to 2^53, text, bytes and null. */
export type Value = number | string | Uint8Array | null;

/** One line of JSON. Bytes are tagged, because JSON has none. */
export const rowLine = (row: readonly Value[]): string =>
  `${JSON.stringify(row.map((value) => (value instanceof Uint8Array ? { base64: base64Of(value) } : value)))}\n`;

const base64Of = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");

export function readRow(line: string): Value[] {
  const row: unknown = JSON.parse(line);
  if (!Array.isArray(row)) throw new Error("a row is not a list");
  return row.map((value: unknown) => {
    if (value === null || typeof value === "string" || Number.isSafeInteger(value)) return value as Value;
    const { base64 } = (value ?? {}) as { base64?: unknown };
    if (typeof base64 !== "string") throw new Error("a row has a value of an unknown type");
    return Buffer.from(base64, "base64");
  });
}

const MODULUS = 2n ** 256n;

/** Of a set of rows, in any order: the sum of the digests of its rows. Two engines sort text differently. */
export class RowsDigest {
  #sum = 0n;
  rows = 0;

  add(line: string): void {
    this.#sum = (this.#sum + BigInt(`0x${createHash("sha256").update(line).digest("hex")}`)) % MODULUS;
    this.rows += 1;
  }

  get sha256(): string {
    return this.#sum.toString(16).padStart(64, "0");
  }
}
