import { VIEWER_LIMITS } from "@backplane/contract/viewer";
import { looksSecret } from "./secrets.ts";

/** Words that are followed by a secret. */
const LABEL =
  /\b(?:pass(?:word|wd|phrase|code|key)?s?|pwd|secrets?|api[\s_-]*keys?|access[\s_-]*keys?|private[\s_-]*keys?|signing[\s_-]*keys?|encryption[\s_-]*keys?|licen[cs]e[\s_-]*keys?|recovery[\s_-]*(?:codes?|keys?|phrases?)|backup[\s_-]*codes?|seed[\s_-]*phrase|mnemonic|tokens?|bearer|authorization|credentials?|pin(?:[\s_-]*code)?(?=\W{0,3}(?:is\W+)?\d{4,8}\b)|pin[\s_-]*code|otp|cvv|cvc|iban|client[\s_-]*secret|account[\s_-]*(?:number|no)|card[\s_-]*(?:number|no)|ssn|serial[\s_-]*key|(?:verification|security|login|one[\s_-]*time|confirmation|sign-?in|pairing|2fa|auth(?:entication)?)[\s_-]*codes?|codes?(?=\s*(?:is\b|[:=#])\s*[\d]))\b/i;
/** Between a label and its value; two spaces are a gap between columns. `_` joins names of settings: `DB_PASSWORD=`. */
const VALUE_SIGN = /^[\w\s"'\])-]{0,24}?(?:=>|:=|[:=]|\bis\b|→|»| {2})\s*/i;
const JOINED_LABEL = /(?:pass(?:word|wd)?|pwd|secret|token|api_?key|_key|credential)s?["']?\s*[:=]\s*/i;
const KEY_BLOCK_BEGIN = /(?<!-)-{3,}\s*BEGIN\b|BEGIN\s{1,9}(?:[A-Z]{1,20}\s{1,9}){0,6}PRIVATE\s{1,9}KEY/i;
const KEY_BLOCK_END = /(?<!-)-{3,}\s*END\b|END\s{1,9}(?:[A-Z]{1,20}\s{1,9}){0,6}PRIVATE\s{1,9}KEY/i;
/** How many words a value on its own line may have, by how likely it is that a value follows. */
const LONE_VALUE = { afterLabelInside: 3, afterLabelAtEnd: 6, afterPhrase: 24 } as const;
const CODE_LIKE = /[a-z]\d|\d[a-z]|\d{4,}/i;
const PHRASE = /\b(?:phrase|mnemonic|passphrase)s?\b/i;

/** `-p hunter-two` on a command line. OCR turns hyphens into dashes and adds spaces around them. */
const FLAG_VALUE =
  /(?<=^|\s)([-–—]{1,2}(?:p|pw|pwd|pass\w*|token|secret|api-?key|key|auth\w*|pin|otp)(?:\s*[=:]\s*|\s+))("[^"]*"?|'[^']*'?|[^\s-]\S*(?:\s?[-–—]\s?\d\S*)*)/gi;
/** `-pS3cr3tPw9`: no space after the flag. Ports (`-p8080:80`) have no letters; words (`-pedantic`) do not mix cases. */
const JOINED_FLAG_VALUE =
  /(?<=^|\s)([-–—]{1,2}[pP])("[^"]+"?|'[^']+'?|(?=\S{0,80}[A-Za-z])(?:(?=\S{0,80}\d)|(?=\S{0,80}[a-z])(?=\S{0,80}[A-Z]))[^\s=:-]\S{5,})/g;
/** Only the last characters before a flag are looked at: there may be many flags. */
const MAKES_FOLDERS = /\bmkdir\s{1,9}$/;
const LOOKED_AT = 16;
/** `K5QX ZRVD 3MLA PUTN`: a key for typing. */
const TYPED_KEY =
  /(?<![\w-])(?:[A-Z0-9]{4}[ -]){3,}[A-Z0-9]{3,4}(?![\w])|(?<![\w-])(?:[A-Z0-9]{5}[ -]){3,}[A-Z0-9]{4,5}(?![\w])/g;

export const HIDDEN = "[hidden]";

/** Replaces everything in these lines that is or could be a secret. */
export function hideSecrets(lines: readonly string[]): string[] {
  let isInKeyBlock = false;
  let wordsToHide = 0;
  return lines.map((line) => {
    if (!/\w/.test(line)) return line;
    if (isInKeyBlock || KEY_BLOCK_BEGIN.test(line)) {
      isInKeyBlock = !KEY_BLOCK_END.test(line);
      wordsToHide = 0;
      return HIDDEN;
    }
    if (wordsToHide > 0 && isLoneValue(line, wordsToHide)) {
      if (!looksLikeAnotherValue(line)) wordsToHide = 0;
      return HIDDEN;
    }
    const { shown, isOpen } = hideValue(line);
    wordsToHide = isOpen ? loneValueAfter(line) : 0;
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
  const plain = hideNumbers(text)
    .replace(FLAG_VALUE, (whole: string, flag: string, _value: string, at: number, line: string) =>
      MAKES_FOLDERS.test(line.slice(Math.max(0, at - LOOKED_AT), at)) ? whole : `${flag}${HIDDEN}`,
    )
    .replace(JOINED_FLAG_VALUE, `$1${HIDDEN}`)
    .replace(TYPED_KEY, HIDDEN);
  return plain.replace(/\S+/g, (word) => (looksSecret(word) ? HIDDEN : word));
}

/** After a label without `:` or `=` (`Token ab12-cd34`): hides words with digits, symbols or capitals, and keeps plain words. */
function hideOddWords(text: string): string {
  return hideWords(text).replace(/\S+/g, (word) =>
    word !== HIDDEN && /\d|[a-z][A-Z]|[_@#$%^&*+=~]|^[A-Z]{3,}$/.test(word) ? HIDDEN : word,
  );
}

/** Card and account numbers are written in groups, and OCR adds more spaces. */
function hideNumbers(text: string): string {
  return text
    .replace(/\b(?:\d[ -]?){12,19}\d?\b/g, (digits) => (digits.replace(/\D/g, "").length >= 12 ? HIDDEN : digits))
    .replace(/\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g, (word) =>
      /\d{4}/.test(word) ? HIDDEN : word,
    )
    .replace(/(?<![\w.+-])[\w.+-]+ ?@ ?[\w-]+(?: ?\. ?[a-z]{2,})+/gi, HIDDEN)
    .replace(/(\w:\/\/)[^/\s@]*@/g, `$1${HIDDEN}@`);
}

function loneValueAfter(line: string): number {
  if (PHRASE.test(line)) return LONE_VALUE.afterPhrase;
  const label = LABEL.exec(line);
  const isAtEnd = label === null || !/\w/.test(line.slice(label.index + label[0].length));
  return isAtEnd ? LONE_VALUE.afterLabelAtEnd : LONE_VALUE.afterLabelInside;
}

/** A label inside a sentence is often only mentioned: then plain words on the next line are not a value. */
function isLoneValue(line: string, maxWords: number): boolean {
  const words = line.trim().split(/\s+/);
  if (words.every((word) => /\d{2,}/.test(word))) return true;
  if (maxWords > LONE_VALUE.afterLabelInside) return words.length <= maxWords;
  return words.length <= maxWords && (words.length === 1 || words.some((word) => CODE_LIKE.test(word)));
}

function looksLikeAnotherValue(line: string): boolean {
  return CODE_LIKE.test(line) || looksSecret(line.replace(/\s/g, ""));
}

/** Control characters but line breaks, and characters that change the writing direction. */
const UNPRINTABLE = /[^\P{C}\n]/gu;
/** More would only cost time. */
const MAX_CLEANED = 4 * VIEWER_LIMITS.maxTextCharacters;

/** Recognised text as it is stored and given to programs: cut to size, printable, secrets replaced. */
export function cleanText(text: string): string {
  const printable = text.slice(0, MAX_CLEANED).replace(/\r\n?/g, "\n").replace(UNPRINTABLE, " ").toWellFormed();
  return hideSecrets(printable.split("\n"))
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()
    .slice(0, VIEWER_LIMITS.maxTextCharacters)
    .toWellFormed();
}
