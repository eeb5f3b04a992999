import { Problem } from "@backplane/kit/problems";

const MAX_PATH_CHARACTERS = 500;
const MAX_PATH_PARTS = 20;
/** The limit of common file systems. */
const MAX_PART_BYTES = 255;

/** Control characters, line separators, lone surrogates, and direction marks that make a name look like another one. */
const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;
/** Characters with a special meaning on some operating systems. */
const SPECIAL = /[\\:*?"<>|]/;
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/** What is not listed does not count for the limits of a project either. */
const TOOLS = /^node_modules$/i;

export type CheckedPath = { ok: true; path: string; parts: string[] } | { ok: false; why: string };

/** A path within a project: parts joined by "/", the same on every operating system. */
export function checkPath(given: string): CheckedPath {
  const path = given.normalize("NFC");
  if (path === "") return refuse("It is empty.");
  if (path.length > MAX_PATH_CHARACTERS) return refuse(`It has more than ${MAX_PATH_CHARACTERS} characters.`);
  if (path.startsWith("/")) return refuse("It begins with a slash. Write it relative to the project's folder.");
  const parts = path.split("/");
  if (parts.length > MAX_PATH_PARTS) return refuse(`It is more than ${MAX_PATH_PARTS - 1} folders deep.`);
  for (const part of parts) {
    const why = faultOfPart(part);
    if (why !== undefined) return refuse(why);
  }
  return { ok: true, path, parts };
}

const refuse = (why: string): CheckedPath => ({ ok: false, why });

function faultOfPart(part: string): string | undefined {
  if (part === "") return "One of its parts is empty.";
  if (INVISIBLE.test(part)) return "It contains an invisible character.";
  if (SPECIAL.test(part)) return 'It contains one of \\ : * ? " < > |, which not every system allows.';
  if (/^[. ]|[. ]$/.test(part)) return "One of its parts begins or ends with a dot or a space.";
  if (TOOLS.test(part)) return "One of its parts is node_modules, which belongs to tools and is not listed.";
  if (DEVICE.test(part)) return "One of its parts is a device name on some systems.";
  if (Buffer.byteLength(part) > MAX_PART_BYTES) return "One of its parts is longer than file systems allow.";
  return undefined;
}

/** Names that a listing shows: those that a request can have. */
export const isListed = (name: string): boolean => name === name.normalize("NFC") && faultOfPart(name) === undefined;

/** The parts, or 422. */
export function expectPath(given: string): { path: string; parts: string[] } {
  const checked = checkPath(given);
  if (checked.ok) return checked;
  throw nameRefused(checked.why);
}

export const nameRefused = (why: string): Problem =>
  new Problem("file-name-refused", { detail: why, errors: [{ pointer: "/path", message: why }] });
