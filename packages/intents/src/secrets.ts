import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { CONFIRMATION_ALPHABET } from "@backplane/contract/intents";
import { hashSecret, takeRandomBytes } from "@backplane/kit/secrets";

const INTENT_TOKEN = /^int_[A-Za-z0-9_-]{43}$/;

/** Whether it has the form of an intent's token. Anything else is unknown without a query. */
export const isIntentToken = (text: string): boolean => INTENT_TOKEN.test(text);

/** The tables know an intent only by this hash. */
export const hashIntentToken = hashSecret;

const LETTERS = 8;
const GROUP = 4;
/** Bytes from here on would make some letters more likely than others. */
const FAIR_BELOW = 256 - (256 % CONFIRMATION_ALPHABET.length);
/** More than eight, so that a second draw is rare. */
const DRAWN_BYTES = 12;

/** `XXXX-XXXX`: 34 bits for a person to compare. It is not a secret. */
export function newConfirmationCode(draw: (bytes: number) => Uint8Array = takeRandomBytes): string {
  let code = "";
  let letters = 0;
  while (letters < LETTERS) {
    for (const byte of draw(DRAWN_BYTES)) {
      if (byte >= FAIR_BELOW || letters === LETTERS) continue;
      if (letters === GROUP) code += "-";
      code += CONFIRMATION_ALPHABET[byte % CONFIRMATION_ALPHABET.length];
      letters += 1;
    }
  }
  return code;
}

/** Ignores case, dashes and spaces. */
export const isSameCode = (given: string, code: string): boolean => bare(given) === bare(code);

const bare = (code: string): string => code.replace(/[\s\p{Pd}]/gu, "").toUpperCase();

/** RFC 7636, section 4.1. */
const MAX_VERIFIER_LENGTH = 128;

/** S256: whether the challenge was made from this verifier. */
export function provesChallenge(verifier: string, challenge: string): boolean {
  if (verifier.length > MAX_VERIFIER_LENGTH) return false;
  const made = hash("sha256", verifier, "buffer");
  const wanted = Buffer.from(challenge, "base64url");
  return made.length === wanted.length && timingSafeEqual(made, wanted);
}

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const NO_SALT = Buffer.alloc(0);
const PURPOSE = "backplane intents: session token of an intent, 1";

/**
 * Seals a session token so that only the holder of the intent's token can read it. The table holds just a hash of the
 * intent's token, so a copy of the database opens nothing (RFC 5869 for the key, NIST SP 800-38D for the cipher).
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
