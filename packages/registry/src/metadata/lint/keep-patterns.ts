import { folderOf, INSTALLED_FOLDERS } from "../../archives/archive.ts";
import type { Finding } from "./rules.ts";

/** Longer patterns are not examined: nobody can read them, and it would take long. */
const MAX_CHARACTERS = 500;
/** Patterns that match every path. */
const EVERYTHING = /^\^?(|\/|\.|\.\*|\.\+|\(\.\*\)|\/\.\*)\$?$/;
/** The literal text at the beginning of a pattern. */
const LITERAL_START = /^\^((?:[^\\^$.*+?()[\]{}|]|\\[/.-])*)([*?{])?/;

/**
 * keep_on_update patterns match anywhere in "/<folder>/<identifier with . as _>/<file>". They are never run here, because
 * they come from other people and some take very long.
 */
export function* lintKeep(pointer: string, pattern: string, identifier: string): Generator<Finding> {
  if (pattern.length > MAX_CHARACTERS) {
    const message = `is longer than ${MAX_CHARACTERS} characters. Shorten it.`;
    yield { rule: "keep-slow", pointer, message };
    return;
  }
  if (!isPattern(pattern)) {
    const fix = fromGlob(pattern);
    const message = "is not a regular expression, so the files it means are not kept.";
    yield { rule: "keep-not-a-pattern", pointer, message, ...(fix === undefined ? {} : { fix }) };
    return;
  }
  if (EVERYTHING.test(pattern)) {
    yield { rule: "keep-everything", pointer, message: "keeps every file. Name the files that people change." };
  }
  if (hasNestedRepetition(pattern)) {
    yield {
      rule: "keep-slow",
      pointer,
      message: "has a nested repetition, which can take very long. Rewrite it without.",
    };
  }
  const start = literalStart(pattern);
  if (start !== undefined && !canBegin(start, identifier)) {
    const fix = `/${pattern.slice(1).replace(/^(\\?\/)+/, "")}`;
    const message = `begins with ^, but paths begin with /plugins/${folderOf(identifier)}/ or similar.`;
    yield { rule: "keep-never-matches", pointer, message, ...(isPattern(fix) ? { fix } : {}) };
  }
}

/** A repeated group with a repetition inside. By hand: an expression for it would itself take very long. */
function hasNestedRepetition(pattern: string): boolean {
  let inside: "nothing" | "group" | "repetition" = "nothing";
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    if (character === "\\") at += 1;
    else if (character === "(") inside = "group";
    else if (character === ")") {
      if (inside === "repetition" && /[+*{]/.test(pattern.charAt(at + 1))) return true;
      inside = "nothing";
    } else if (inside === "group" && /[+*}]/.test(character)) inside = "repetition";
  }
  return false;
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text).source !== "";
  } catch {
    return false;
  }
}

/** The regular expression for a glob such as "*.json"; undefined if it is not one. */
function fromGlob(text: string): string | undefined {
  const [, ending] = /^\*\*?[/]?\*?[.]([a-z0-9_-]+)$/i.exec(text) ?? [];
  return ending === undefined ? undefined : `[.]${ending}$`;
}

function literalStart(pattern: string): string | undefined {
  // Each alternative of a bar can match on its own.
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
