import { VIEWER_LIMITS } from "@backplane/contract/viewer";
import { looksSecret } from "../names/secrets.ts";

/** Longer answers are not names. */
const MAX_ANSWER_CHARACTERS = 2_000;
const MAX_LINE_CHARACTERS = 120;
const MIN_WORDS = 2;
const MAX_WORDS = 10;
const MAX_WORD_CHARACTERS = 30;

/** Starts of apologies and introductions, with hyphens between the words. */
const NOT_A_NAME = new RegExp(
  `^(?:${[
    "(?:i|we)-(?:am|m|cannot|cant|can|could|do|dont|will|wont|would|have|need|see|apologi[sz]e)",
    "(?:im|ive|id|sorry|apologies|unfortunately|sure|okay|certainly|of-course|as-an|please)",
    "(?:here-is|heres|here-are|the-(?:image|screenshot|picture|name|file)|this-(?:image|screenshot|picture|is))",
    "(?:cannot|cant|unable-to|not-able-to)-(?:view|see|process|analy[sz]e|help|assist|identify|determine|name|read|comply)",
    "(?:no-(?:image|picture|screenshot)|sp-[0-9]+)",
  ].join("|")})(?:-|$)`,
);

/**
 * Finds the name in a model's answer, which is as untrusted as the picture. A name has only `[a-z0-9-]`, at least two words
 * and at most 60 characters, nothing that looks like a secret, and is not an apology or a sentence.
 */
export function nameFromAnswer(answer: string): string | undefined {
  if (answer.length > MAX_ANSWER_CHARACTERS) return undefined;
  const lines = afterThoughts(answer)
    .split(/\r?\n/)
    .map(bare)
    .filter((line) => line !== "" && line !== "text");
  if (lines.length === 1) return nameFromLine(lines[0] ?? "");
  // Talkative models put the name on its own line; among several lines only one that is already a valid name counts.
  const [only, ...others] = lines.filter((line) => /^[a-z0-9]+(-[a-z0-9]+)+$/.test(line));
  return only !== undefined && others.length === 0 ? nameFromLine(only) : undefined;
}

/** Some local models write their thoughts first. */
const afterThoughts = (answer: string): string => answer.split("</think>").at(-1) ?? "";

/** Removes quotes, Markdown, the file extension and the final period. */
const bare = (line: string): string =>
  line
    .trim()
    .replace(/^[\s"'`*“”‘’#>-]+|(?<![\s"'`*“”‘’.])[\s"'`*“”‘’.]+$/g, "")
    .replace(/\.(?:png|jpe?g|webp)$/i, "");

function nameFromLine(line: string): string | undefined {
  const plain = line.normalize("NFKD").replace(/\p{M}/gu, "");
  // Other punctuation means that it is a sentence.
  if (line.length > MAX_LINE_CHARACTERS || !/^[A-Za-z0-9][A-Za-z0-9 _./:-]*$/.test(plain)) return undefined;
  if (plain.split(/[\s_]+/).some(looksSecret)) return undefined;
  const words = plain
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  if (words.length > MAX_WORDS || words.some((word) => word.length > MAX_WORD_CHARACTERS || looksSecret(word))) {
    return undefined;
  }
  return NOT_A_NAME.test(words.join("-")) ? undefined : shortened(withoutFiller(words));
}

/** Every file here is a screenshot, so the word adds nothing. */
function withoutFiller(words: string[]): string[] {
  const kept = words.filter((word) => word !== "screenshot");
  return kept[0] === "of" ? kept.slice(1) : kept;
}

function shortened(words: string[]): string | undefined {
  const kept = [...words];
  while (kept.join("-").length > VIEWER_LIMITS.maxNameCharacters) kept.pop();
  // Only digits would be an account or phone number, or a date.
  const saysSomething = kept.length >= MIN_WORDS && kept.some((word) => /[a-z]{2}/.test(word));
  return saysSomething ? kept.join("-") : undefined;
}
