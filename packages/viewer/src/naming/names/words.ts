import { HIDDEN } from "./secret-labels.ts";
import { looksSecret } from "./secrets.ts";
import { STOP_WORDS } from "./word-lists.ts";

const FILE_ENDING =
  /\.(?:[cm]?[jt]sx?|py|rs|go|c|h|cc|cpp|hpp|java|kt|rb|php|cs|swift|sh|json|ya?ml|toml|md|txt|log|csv|html?|css|xml|sql|pdf|docx?|xlsx?|png|jpe?g|svg|kicad_\w+|ino|lock|test|spec)\b/gi;
const ADDRESS = /(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/\S+|\bwww\.\S+/gi;
const DATE_OR_TIME = /\b\d{1,4}[-/.:]\d{1,2}(?:[-/.:]\d{1,4})?(?:T[\d:.]+Z?)?\b/g;
/** Board designers write `3.3V` as 3v3. */
const VOLTAGE = /\b(\d{1,2})[.,](\d)\s?V\b/g;
const MEASURE =
  /^\d+(?:ms|us|ns|s|m|h|d|w|x|k|kb|mb|gb|tb|kib|mib|gib|b|px|em|rem|hz|khz|mhz|ghz|v|mv|a|ma|w|mw|nf|uf|pf|uh|mh|nh|ohm|c|f|st|nd|rd|th|fps|bit|p)$|^\d+x\d+$/;
/** `R7`, `C12`, `U1`: reference designators of a schematic. */
const DESIGNATOR = /^[a-z]\d{1,3}$/;
/** The one stop word that can be a subject, in capitals. */
const FIELD_BUS = "CAN";
const MIN_LENGTH = 3;
const MAX_LENGTH = 24;
/** Shorter compounds are not split. */
const LONG_COMPOUND = 12;
const SHORT_WORDS = new Set("ui ai ci cd db ip io pr vm os qa dc ac rf id ux pi".split(" "));

/** The words of a line that can be part of a name, in order. Secrets must have been hidden before. */
export function wordsOf(text: string): string[] {
  const plain = text
    .replaceAll(HIDDEN, " | ")
    .replace(ADDRESS, " ")
    .replace(VOLTAGE, "$1v$2")
    .replace(DATE_OR_TIME, " ")
    .replace(FILE_ENDING, " ")
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/['’`]/g, "");
  return plain.split(/\s+/).flatMap((chunk) => (looksSecret(chunk) ? [] : splitChunk(chunk)));
}

function splitChunk(chunk: string): string[] {
  return chunk
    .split(/[^A-Za-z0-9]+/)
    .flatMap(splitHumps)
    .filter((word) => !looksSecret(word))
    .flatMap((word) => (isUseful(word) ? [word.toLowerCase()] : []));
}

/** `ModuleNotFoundError` is four words; `GitHub` and `TypeError` stay one. */
function splitHumps(word: string): string[] {
  const humps = word.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g) ?? [];
  const isCompound = /[a-z][A-Z]/.test(word) && !/\d/.test(word) && humps.join("") === word;
  return isCompound && word.length >= LONG_COMPOUND ? humps : [word];
}

function isUseful(word: string): boolean {
  const lower = word.toLowerCase();
  if ((STOP_WORDS.has(lower) && word !== FIELD_BUS) || lower.length > MAX_LENGTH || /^\d+$/.test(lower)) return false;
  if (/\d/.test(lower)) return isPartNumber(lower);
  if (lower.length < MIN_LENGTH) return SHORT_WORDS.has(lower);
  if (/^(.)\1+$/.test(lower) || /(.)\1\1/.test(lower)) return false;
  return /[aeiouy]/.test(lower) || lower.length <= 5;
}

function isPartNumber(word: string): boolean {
  if (word.length < 3 || word.length > 16 || MEASURE.test(word) || DESIGNATOR.test(word)) return false;
  if (/^[0-9a-f]+$/.test(word) && word.length >= 5) return false;
  return /^[a-z]{2,}\d|^\d[a-z]+\d?$|^[a-z]\d+[a-z]/.test(word);
}

/** The stem, so that plurals and other forms count as the same word. */
export function stemOf(word: string): string {
  if (/\d/.test(word) || word.length <= 4) return word.replace(/(?<=..)s$/, "");
  return word.replace(/(?:ations?|ings?|ies|ied|ed|es|er|ers|s|y|e)$/, "").slice(0, 7);
}
