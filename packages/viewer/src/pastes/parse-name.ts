import { NAME_PATTERN } from "@backplane/contract/viewer";
import { Problem } from "@backplane/kit/problems";
import { PASTES_LIMITS } from "./storage/limits.ts";

const MAX_TYPED_CHARACTERS = 200;
const PATTERN = new RegExp(NAME_PATTERN);
/** Windows opens a device for a file with such a name. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;
const FIRST_NAME = /^sp-[0-9]/;
/** Characters that Unicode decomposition leaves, spelled out. */
const SPELT: Readonly<Record<string, string>> = {
  ...{ μ: "u", ω: "ohm", "°": "deg", "±": "-", "–": "-", "—": "-", "×": "x" },
  ...{ ß: "ss", ø: "o", æ: "ae", œ: "oe", ł: "l", đ: "d", ð: "d", þ: "th" },
};
const SIZE = /-[0-9]{1,6}x[0-9]{1,6}(?:-original)?$/;

/**
 * Turns a typed name into one that files can have, or says what is wrong with it. Case, spaces, accents, size and file
 * extension do not matter.
 */
export function parseName(typed: unknown): string | Problem {
  if (typeof typed !== "string") return refused("must be text");
  if (typed.length > MAX_TYPED_CHARACTERS) return refused(`must have at most ${MAX_TYPED_CHARACTERS} characters`);
  const name = typed
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .trim()
    .toLowerCase()
    .replace(/[^\p{ASCII}]/gu, (sign) => SPELT[sign] ?? sign)
    .replace(/\.png$/, "")
    .replace(/[\s_-]+/g, "-")
    .replace(SIZE, "")
    .replace(/^-|-$/g, "");
  if (name === "") return refused("must have at least one letter or digit");
  if (!PATTERN.test(name)) return refused("may have only letters, digits, spaces and dashes");
  if (name.length > PASTES_LIMITS.maxNameCharacters) {
    return refused(`must have at most ${PASTES_LIMITS.maxNameCharacters} characters`);
  }
  if (RESERVED.test(name)) return refused("is reserved by Windows for a device");
  if (FIRST_NAME.test(name)) return refused("must not start with sp- and a digit, like automatic names");
  return name;
}

const refused = (message: string): Problem =>
  new Problem("invalid-input", { detail: `The name ${message}.`, errors: [{ pointer: "/name", message }] });
