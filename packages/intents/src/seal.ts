import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const NO_SALT = Buffer.alloc(0);
const PURPOSE = "backplane intents: session token of an intent, 1";

/**
 * Seals a session token so that only who has the intent's token can read it. The table holds that one's hash alone: a
 * copy of the database opens nothing (RFC 5869 for the key, NIST SP 800-38D for the rest).
 */
export function sealToken(intentToken: string, sessionToken: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(intentToken), iv);
  const sealed = [cipher.update(sessionToken, "utf8"), cipher.final()];
  return Buffer.concat([iv, cipher.getAuthTag(), ...sealed]).toString("base64url");
}

/** Throws when it was sealed with another intent's token, or changed. */
export function unsealToken(intentToken: string, sealed: string): string {
  const bytes = Buffer.from(sealed, "base64url");
  const iv = bytes.subarray(0, IV_BYTES);
  const tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, keyOf(intentToken), iv, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(tag);
  return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
}

const keyOf = (intentToken: string): Buffer =>
  Buffer.from(hkdfSync("sha256", intentToken, NO_SALT, PURPOSE, KEY_BYTES));
