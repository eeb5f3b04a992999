/** Prefixes of keys of well-known services. */
const KEY_PREFIX =
  /^(?:(?:sk|pk|rk|whsec|shpat|shpss|shpca|tok|bpk|key|hf|npm|pypi|dop|dor|sq0atp|sq0csp|vercel|rpa|nvapi|gsk|xai|r8|lin|secret|pat|ops|ntn|figd|fio|glsa|dckr|sntrys|phc|sbp|whsk|tfp|ATATT)[-_]|gh[pousr]_|github_pat|gl(?:pat|dt|rt|cbt|ptt|ft|soat)-|xox[a-z]-?|xapp-|AKIA|ASIA|AGPA|AROA|AIDA|AIza|ya29\.|EAAC|eyJ|SG\.|-----BEGIN)/;
/** The same after OCR lost case and punctuation; used only if more follows that is not a word. */
const FOLDED_KEY_PREFIX =
  /^(?:ghp|gho|ghu|ghs|ghr|githubpat|glpat|xox[abprs]|akia|asia|aiza|eyj|skproj|skant|sklive|sktest|pklive|pktest|bpk|tok|whsec|npm|dop|hf|sk)/;
const HEX = /^(?:0x)?[0-9a-f]+$/i;
const LONG_HEX = 8;
/** Does not match `user@host` in a prompt. */
const EMAIL = /^[^@\s]+@[^@\s]+\.[a-z]{2,}\b|^[\w+-]+\.[\w.+-]+@/i;
const PART_OF_AN_EMAIL = /^[a-z0-9._-]+@$|^@[a-z0-9-]+\.[a-z.]+$/i;
const MEMORY_ADDRESS = /^0x[0-9a-f]{1,8}$/i;
const UUID_LIKE = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){1,3}/i;
const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;
const LONG_DIGITS = 9;
const MAX_WORD_LENGTH = 30;
/** Part numbers such as `stm32f405rgt6` or `usb3v1` change between letters and digits a few times. */
const MAX_PART_NUMBER_CHANGES = 6;
const MAX_PART_NUMBER_LENGTH = 15;
const PUNCTUATION_INSIDE = /[A-Za-z0-9][!#$%^&*?~][A-Za-z0-9]|[!#$%^&*?~]$/;

/** Whether it could be a key, a password, a card or account number, or an email address. When in doubt, true. */
export function looksSecret(word: string): boolean {
  const bare = word.replace(/^["'`([{<]+|(?<!["'`)\]}>.,;:])["'`)\]}>.,;:]+$/g, "");
  if (bare === "") return false;
  if (EMAIL.test(bare) || PART_OF_AN_EMAIL.test(bare)) return true;
  if (MEMORY_ADDRESS.test(bare)) return false;
  if (KEY_PREFIX.test(bare) && bare.length >= 8) return true;
  if (UUID_LIKE.test(bare) || /[a-z0-9+.-]:\/\/[^/\s]*@/i.test(bare)) return true;
  const joined = bare.replace(/[^A-Za-z0-9]/g, "");
  if (/^\d+$/.test(joined)) return joined.length >= LONG_DIGITS;
  if (HEX.test(joined) && /\d/.test(joined) && joined.length >= LONG_HEX) return true;
  if (IBAN.test(bare.replace(/\s/g, ""))) return true;
  if (/\d/.test(joined) && joined.length >= 8 && FOLDED_KEY_PREFIX.test(joined.toLowerCase())) return true;
  return bare.split(/[-_/.:]/).some(looksRandom) || isLongAndMixed(joined);
}

/** Letters and digits in an order that words and part numbers do not have. */
function looksRandom(part: string): boolean {
  if (part.length < 6) return false;
  const letters = part.replace(/[^A-Za-z]/g, "");
  const digits = part.replace(/\D/g, "").length;
  if (part.length > MAX_WORD_LENGTH) return true;
  if (/^[A-Za-z]+$/.test(part)) return mixesCase(part) && part.length >= 10;
  if (PUNCTUATION_INSIDE.test(part) && digits > 0 && letters.length >= 3) return true;
  if (digits === 0) return false;
  const changes = countChanges(part);
  if (part.length > MAX_PART_NUMBER_LENGTH && digits >= 1) return true;
  if (mixesCase(part) && digits >= 1 && part.length >= 8) return true;
  return changes > MAX_PART_NUMBER_CHANGES || hasLeetspeak(part);
}

/** A secret whose parts look harmless on their own. */
function isLongAndMixed(joined: string): boolean {
  const humps = (joined.match(/[a-z][A-Z]/g) ?? []).length;
  return joined.length > MAX_WORD_LENGTH && /\d/.test(joined) && (mixesCase(joined) || humps >= 5);
}

/** `aBcDeF`, not `camelCase`, `HTTPServer` or `iPhone`. */
function mixesCase(part: string): boolean {
  const letters = part.replace(/[^A-Za-z]/g, "");
  const humps = letters.match(/[A-Z]+[a-z]*/g) ?? [];
  const shortHumps = humps.filter((hump) => hump.length <= 2).length;
  return /[a-z]/.test(letters) && shortHumps >= 3;
}

function countChanges(part: string): number {
  let changes = 0;
  for (let at = 1; at < part.length; at++) {
    if (/\d/.test(part[at] ?? "") !== /\d/.test(part[at - 1] ?? "")) changes++;
  }
  return changes;
}

/** `Tr0ub4dor`, `p4ssw0rd`: digits between lower-case letters, twice. */
function hasLeetspeak(part: string): boolean {
  return (part.match(/[a-z]\d(?=[a-z])/g) ?? []).length >= 2 && part.length >= 7;
}
