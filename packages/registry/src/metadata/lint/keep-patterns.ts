import { folderOf, INSTALLED_FOLDERS } from "../../archives/archive.ts";
import type { Finding } from "./rules.ts";

/** Longer ones are not looked at: nobody can read them, and looking takes long. */
const MAX_CHARACTERS = 500;
/** Patterns that match every path there is. */
const EVERYTHING = /^\^?(|\/|\.|\.\*|\.\+|\(\.\*\)|\/\.\*)\$?$/;
/** A group that repeats, with something in it that repeats. */
const NESTED_REPETITION = /\((?:[^()\\]|\\.)*[+*}](?:[^()\\]|\\.)*\)[+*{]/;
/** What a pattern says to the letter before it first leaves something open. */
const LITERAL_START = /^\^((?:[^\\^$.*+?()[\]{}|]|\\[/.-])*)([*?{])?/;

/**
 * keep_on_update: matched anywhere in "/<folder>/<identifier with . as _>/<file>". None is run here: they are other
 * people's, and some take very long.
 */
export function* lintKeep(pointer: string, pattern: string, identifier: string): Generator<Finding> {
  if (pattern.length > MAX_CHARACTERS) {
    const message = `is longer than ${MAX_CHARACTERS} characters. Write it shorter.`;
    yield { rule: "keep-slow", pointer, message };
    return;
  }
  if (!isPattern(pattern)) {
    const fix = fromGlob(pattern);
    const message = "is no regular expression. The files it means are not kept.";
    yield { rule: "keep-not-a-pattern", pointer, message, ...(fix === undefined ? {} : { fix }) };
    return;
  }
  if (EVERYTHING.test(pattern)) {
    yield { rule: "keep-everything", pointer, message: "keeps every file. Name the files that people change." };
  }
  if (NESTED_REPETITION.test(pattern)) {
    yield { rule: "keep-slow", pointer, message: "repeats a repetition, which can take very long. Write it without." };
  }
  const start = literalStart(pattern);
  if (start !== undefined && !canBegin(start, identifier)) {
    const fix = `/${pattern.slice(1).replace(/^(\\?\/)+/, "")}`;
    const message = `begins with ^, and a path begins with /plugins/${folderOf(identifier)}/ or the like.`;
    yield { rule: "keep-never-matches", pointer, message, ...(isPattern(fix) ? { fix } : {}) };
  }
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text).source !== "";
  } catch {
    return false;
  }
}

/** "*.json" as most likely meant; undefined: it is nothing like that. */
function fromGlob(text: string): string | undefined {
  const [, ending] = /^\*\*?[/]?\*?[.]([a-z0-9_-]+)$/i.exec(text) ?? [];
  return ending === undefined ? undefined : `[.]${ending}$`;
}

function literalStart(pattern: string): string | undefined {
  // What is said on one side of a bar does not bind the other.
  if (pattern.includes("|")) return undefined;
  const [, literal, repetition] = LITERAL_START.exec(pattern) ?? [];
  const plain = literal?.replaceAll(/\\(.)/g, "$1");
  return repetition === undefined ? plain : plain?.slice(0, -1);
}

function canBegin(start: string, identifier: string): boolean {
  return INSTALLED_FOLDERS.some((folder) => {
    const path = `/${folder}/${folderOf(identifier)}/`;
    return path.startsWith(start) || start.startsWith(path);
  });
}
