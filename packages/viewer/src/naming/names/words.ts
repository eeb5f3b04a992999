import { HIDDEN } from "./secret-labels.ts";
import { looksSecret } from "./secrets.ts";

const FILE_ENDING =
  /\.(?:[cm]?[jt]sx?|py|rs|go|c|h|cc|cpp|hpp|java|kt|rb|php|cs|swift|sh|json|ya?ml|toml|md|txt|log|csv|html?|css|xml|sql|pdf|docx?|xlsx?|png|jpe?g|svg|kicad_\w+|ino|lock|test|spec)\b/gi;
const ADDRESS = /\b[a-z][a-z0-9+.-]*:\/\/\S+|\bwww\.\S+/gi;
const DATE_OR_TIME = /\b\d{1,4}[-/.:]\d{1,2}(?:[-/.:]\d{1,4})?(?:T[\d:.]+Z?)?\b/g;
/** `3.3V` is called 3v3 wherever boards are made. */
const VOLTAGE = /\b(\d{1,2})[.,](\d)\s?V\b/g;
const MEASURE =
  /^\d+(?:ms|us|ns|s|m|h|d|w|x|k|kb|mb|gb|tb|kib|mib|gib|b|px|em|rem|hz|khz|mhz|ghz|v|mv|a|ma|w|mw|nf|uf|pf|uh|mh|nh|ohm|c|f|st|nd|rd|th|fps|bit|p)$|^\d+x\d+$/;
/** `R7`, `C12`, `U1`: where a part sits on a sheet. */
const DESIGNATOR = /^[a-z]\d{1,3}$/;
/** The one function word that is a subject when written so. */
const FIELD_BUS = "CAN";
const SHORTEST = 3;
const LONGEST = 24;
const LONG_COMPOUND = 12;
const SHORT_TELLING = new Set("ui ai ci cd db ip io pr vm os qa dc ac rf id ux pi".split(" "));

/** The words of a line that a name can be made of, in order. Its secrets are taken out before. */
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
    .flatMap((word) => (isTelling(word) ? [word.toLowerCase()] : []));
}

/** `ModuleNotFoundError` is four words; `GitHub` and `TypeError` stay one. */
function splitHumps(word: string): string[] {
  const humps = word.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g) ?? [];
  const isCompound = /[a-z][A-Z]/.test(word) && !/\d/.test(word) && humps.join("") === word;
  return isCompound && word.length >= LONG_COMPOUND ? humps : [word];
}

function isTelling(word: string): boolean {
  const lower = word.toLowerCase();
  if ((STOP_WORDS.has(lower) && word !== FIELD_BUS) || lower.length > LONGEST || /^\d+$/.test(lower)) return false;
  if (/\d/.test(lower)) return isPartNumber(lower);
  if (lower.length < SHORTEST) return SHORT_TELLING.has(lower);
  if (/^(.)\1+$/.test(lower) || /(.)\1\1/.test(lower)) return false;
  return /[aeiouy]/.test(lower) || lower.length <= 5;
}

function isPartNumber(word: string): boolean {
  if (word.length < 3 || word.length > 16 || MEASURE.test(word) || DESIGNATOR.test(word)) return false;
  if (/^[0-9a-f]+$/.test(word) && word.length >= 5) return false;
  return /^[a-z]{2,}\d|^\d[a-z]+\d?$|^[a-z]\d+[a-z]/.test(word);
}

/** Its common beginning, so that plurals and forms count once. */
export function stemOf(word: string): string {
  if (/\d/.test(word) || word.length <= 4) return word.replace(/(?<=..)s$/, "");
  return word.replace(/(?:ations?|ings?|ies|ied|ed|es|er|ers|s|y|e)$/, "").slice(0, 7);
}

export function isChrome(word: string): boolean {
  return CHROME_WORDS.has(word);
}

/** Words of a language, not of a subject. */
const STOP =
  "a about above actually after again all already also although always am an and another any anyone anything are around as at away back be because been before being below between both but by came can cannot cant come could couldnt did didnt do does doesnt doing done dont down during each either else etc even ever every few first for from get gets getting give given go goes going got had has hasnt have having he her here hers him his how however i if in instead into is isnt it its itself just know last least less let lets like made make makes many may me might mine more most much must my near need needs neither never next nor not now of off often on once one only onto or other others our out over own perhaps please put quite rather really same say says see seem shall she should shouldnt since so some something soon still such sure take than that the their them then there these they thing things this those though through thus to too toward two under until up upon us use used uses using very via want wants was wasnt way we well went were werent what when where whether which while who whom whose why will with within without wont would wouldnt yes yet you your yours yourself";

/** What every window shows: menus, buttons, columns, months, units, parts of paths and of programs. */
const CHROME =
  "file files edit view help ok okay cancel yes no close apply save open new window windows tools tool insert format selection search find replace options preferences settings back forward home menu more less show hide learn details continue done finish previous next retry ignore skip submit copy paste cut undo redo select all none name type value values status state total item items row rows column columns page pages sheet title date time today yesterday tomorrow updated created modified size id ids rev revision number true false null undefined ln col spaces utf crlf lf tab tabs untitled overview dashboard explorer outline problems output terminal debug console run go git main master src lib usr var etc bin opt tmp dist node modules index users user root localhost http https www com org net html htm info warn trace int str string const let def function func return import export default public private static void class struct async await self this include eda kicad version ver loading please monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january february march april june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec am pm utc gmt ms sec min hrs kb mb gb tb px mhz ghz khz hz mv ma kohm ohm";

/** What buttons say and headings too: it tells only beside another word. */
const ACTIONS =
  "delete remove discard confirm accept allow deny install update upgrade download upload send share print import export login logout sign connect disconnect start stop restart reset refresh reload add create enable disable keep quit exit try again";

/** Something went wrong: what a screenshot is most often taken for. */
const SIGNALS =
  "error errors failed failure fail fails failing exception warning timeout timed denied refused fatal panic invalid missing conflict conflicts crash crashed unauthorized forbidden corrupted corrupt overflow unreachable unable unavailable blocked rejected expired declined exceeded broken aborted abort critical alarm alert traceback violation mismatch unsupported unknown disconnected leak deadlock rollback outage violated undervoltage overvoltage overcurrent overheating segfault";

const STOP_WORDS: ReadonlySet<string> = new Set(STOP.split(" "));
const CHROME_WORDS: ReadonlySet<string> = new Set(CHROME.split(" "));
export const SIGNAL_WORDS: ReadonlySet<string> = new Set(SIGNALS.split(" "));
export const ACTION_WORDS: ReadonlySet<string> = new Set(ACTIONS.split(" "));
