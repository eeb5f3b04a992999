import { hash } from "node:crypto";

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A whole number from 0 that JavaScript holds exactly. */
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

export const isSha256 = (value: unknown): value is string => typeof value === "string" && /^[a-f0-9]{64}$/.test(value);

/** Looser than the contract, as packages in the field are; but nothing that could lead out of a folder. */
export const isLooseIdentifier = (text: string): boolean => /^[a-zA-Z][-a-zA-Z0-9._]{0,99}$/.test(text);

export const sha256Of = (bytes: Uint8Array): string => hash("sha256", bytes, "hex");

/** An order of names that does not depend on the machine's language. */
export const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
