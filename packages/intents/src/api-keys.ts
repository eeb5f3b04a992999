import { createHash, randomBytes } from "node:crypto";

const KEY_BYTES = 32;

/** `bpk_` and 256 random bits. Shown once, kept only as a hash. */
export const newApiKey = (): string => `bpk_${randomBytes(KEY_BYTES).toString("base64url")}`;

/** A key has 256 bits of its own, so a plain hash suffices: there is nothing to guess. */
export const hashApiKey = (key: string): string => createHash("sha256").update(key).digest("hex");
