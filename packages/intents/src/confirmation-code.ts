import { CONFIRMATION_ALPHABET } from "@backplane/contract/intents";
import { takeRandomBytes } from "@backplane/kit/secrets";

const LETTERS = 8;
const GROUP = 4;
/** Beyond the last whole multiple of the alphabet some letters would come more often. */
const FAIR_BELOW = 256 - (256 % CONFIRMATION_ALPHABET.length);
/** More than eight, so that a second draw is rare. */
const DRAWN_BYTES = 12;

/** `XXXX-XXXX`: 34 bits, for a person to compare. It is no secret. */
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

/** Compared without case, dashes and spaces. */
export const isSameCode = (given: string, code: string): boolean => bare(given) === bare(code);

const bare = (code: string): string => code.replace(/[\s\p{Pd}]/gu, "").toUpperCase();
