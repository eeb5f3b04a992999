import { looksSecret } from "./secrets.ts";

/** Words that say that what follows is not for others. */
const LABEL =
  /\b(?:pass(?:word|wd|phrase|code|key)?s?|pwd|secrets?|api[\s_-]*keys?|access[\s_-]*keys?|private[\s_-]*keys?|signing[\s_-]*keys?|encryption[\s_-]*keys?|licen[cs]e[\s_-]*keys?|recovery[\s_-]*(?:codes?|keys?|phrases?)|backup[\s_-]*codes?|seed[\s_-]*phrase|mnemonic|tokens?|bearer|authorization|credentials?|pin|otp|cvv|cvc|iban|client[\s_-]*secret|account[\s_-]*(?:number|no)|card[\s_-]*(?:number|no)|ssn|serial[\s_-]*key|(?:verification|security|login|one[\s_-]*time|confirmation|sign-?in|pairing|2fa|auth(?:entication)?)[\s_-]*codes?|codes?(?=\s*(?:is\b|[:=#])\s*[\d]))\b/i;
/** Between a label and its value. `_` joins labels of settings: `DB_PASSWORD=`. */
const VALUE_SIGN = /^[\w\s"'\])-]{0,24}?(?:=>|:=|[:=]|\bis\b|→|»)\s*/i;
const JOINED_LABEL = /(?:pass(?:word|wd)?|pwd|secret|token|api_?key|_key|credential)s?["']?\s*[:=]\s*/i;
const KEY_BLOCK_BEGIN = /-{3,}\s*BEGIN\b|BEGIN\s+(?:[A-Z]+\s+)*PRIVATE\s+KEY/i;
const KEY_BLOCK_END = /-{3,}\s*END\b|END\s+(?:[A-Z]+\s+)*PRIVATE\s+KEY/i;
/** One that stands alone below its label: `Recovery codes` and then the codes. */
const MOST_WORDS_OF_A_LONE_VALUE = 3;

export const HIDDEN = "[hidden]";

/** The same lines with every secret, and what may be one, replaced. */
export function hideSecrets(lines: readonly string[]): string[] {
  let isInKeyBlock = false;
  let followsLabel = false;
  return lines.map((line) => {
    if (line.trim() === "") return line;
    if (isInKeyBlock || KEY_BLOCK_BEGIN.test(line)) {
      isInKeyBlock = !KEY_BLOCK_END.test(line);
      followsLabel = false;
      return HIDDEN;
    }
    if (followsLabel && isLoneValue(line)) {
      followsLabel = looksLikeAnotherValue(line);
      return HIDDEN;
    }
    const { shown, isOpen } = hideValue(line);
    followsLabel = isOpen;
    return shown;
  });
}

function hideValue(line: string): { shown: string; isOpen: boolean } {
  const label = LABEL.exec(line) ?? JOINED_LABEL.exec(line);
  if (label === null) return { shown: hideWords(line), isOpen: false };
  const end = label.index + label[0].length;
  const rest = line.slice(end);
  const head = hideWords(line.slice(0, end));
  if (/[:=]\s*$/.test(label[0])) return rest.trim() === "" ? { shown: head, isOpen: true } : hidden(head);
  const sign = VALUE_SIGN.exec(rest);
  if (sign !== null) {
    const value = rest.slice(sign[0].length);
    const kept = head + rest.slice(0, sign[0].length);
    return value.trim() === "" ? { shown: kept, isOpen: true } : hidden(kept.trimEnd());
  }
  if (/^(?:bearer|pin|otp|cvv|cvc|iban)$/i.test(label[0]) && rest.trim() !== "") return hidden(head);
  return { shown: head + hideOddWords(rest), isOpen: true };
}

function hidden(head: string): { shown: string; isOpen: boolean } {
  return { shown: `${head} ${HIDDEN}`, isOpen: false };
}

function hideWords(text: string): string {
  return hideNumbers(text).replace(/\S+/g, (word) => (looksSecret(word) ? HIDDEN : word));
}

/** After a label without a sign (`Token ab12-cd34`): plain words stay, anything with a digit or an odd sign goes. */
function hideOddWords(text: string): string {
  return hideWords(text).replace(/\S+/g, (word) =>
    word !== HIDDEN && /\d|[a-z][A-Z]|[_@#$%^&*+=~]/.test(word) ? HIDDEN : word,
  );
}

/** Cards and accounts are written in groups, and OCR adds some. */
function hideNumbers(text: string): string {
  return text
    .replace(/\b(?:\d[ -]?){12,19}\d?\b/g, (digits) => (digits.replace(/\D/g, "").length >= 12 ? HIDDEN : digits))
    .replace(/\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g, (word) =>
      /\d{4}/.test(word) ? HIDDEN : word,
    )
    .replace(/[\w.+-]+ ?@ ?[\w-]+(?: ?\. ?[a-z]{2,})+/gi, HIDDEN)
    .replace(/(\w:\/\/)[^/\s@]*@/g, `$1${HIDDEN}@`);
}

function isLoneValue(line: string): boolean {
  const words = line.trim().split(/\s+/);
  return words.length <= MOST_WORDS_OF_A_LONE_VALUE || words.every((word) => /\d/.test(word));
}

function looksLikeAnotherValue(line: string): boolean {
  return /\d/.test(line) || looksSecret(line.replace(/\s/g, ""));
}
