import { type Compare, LESSON_LIMITS, type LessonCheck } from "@backplane/contract/panels";

const EXAMPLE = 'Write it such as "Done when: */motor/velocity_rad_s between 4.5 and 5.5 for 2 s"';
const SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, min: 60 };
const NUMBER = /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?$/i;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.$:-]{0,63}$/;

/** What is too large for a number cannot be sent, nor measured. */
const isNumber = (text: string): boolean => NUMBER.test(text) && Number.isFinite(Number(text));

export type ParsedCheck = { check: LessonCheck } | { fault: string };

/**
 * `*` + `/motor/velocity_rad_s >= 5 for 2 s`, where `*` is any device; `rover/motor/on = true`; `file notes/motor.md`;
 * `file notes/motor.md contains "%"`; `script scripts/mean.js`; `script scripts/mean.js between 20 and 22`.
 */
export function parseCheck(text: string): ParsedCheck {
  const words = text.trim().split(/\s+/);
  if (words[0]?.toLowerCase() === "script") return scriptCheck(words.slice(1));
  if (words[0]?.toLowerCase() === "file") return fileCheck(text.trim().slice("file".length).trim());
  const [place = "", ...rest] = words;
  const [device = "", capability = "", field = "", more] = place.split("/");
  const isNamed = (device === "*" || NAME.test(device)) && NAME.test(capability) && NAME.test(field);
  if (!isNamed || more !== undefined)
    return { fault: `"${shorten(place)}" is not device/capability/field. ${EXAMPLE}.` };
  const hold = holdOf(rest);
  if ("fault" in hold) return hold;
  const compare = compareOf(hold.rest);
  if (!compare) return { fault: `"${shorten(hold.rest.join(" "))}" is not a comparison. ${EXAMPLE}.` };
  const named = { device: device === "*" ? null : device, capability, field };
  return { check: { type: "value", ...named, compare, holdMs: hold.holdMs } };
}

/** A name without blanks: what follows is how its result is compared. */
function scriptCheck([path = "", ...rest]: readonly string[]): ParsedCheck {
  const compare = rest.length === 0 ? null : compareOf(rest);
  if (path === "" || path.length > 500 || compare === undefined)
    return { fault: "A check of a script names it and what it results in: script scripts/mean.js > 20." };
  return { check: { type: "script", path, compare } };
}

function fileCheck(text: string): ParsedCheck {
  const [path = "", word, ...rest] = text.split(" ");
  if (path === "" || path.length > 500) return { fault: "A check of a file names the file: file notes/motor.md." };
  if (word === undefined) return { check: { type: "file", path, contains: null } };
  const contains = rest
    .join(" ")
    .trim()
    .replace(/^"(.*)"$/, "$1");
  if (word !== "contains" || contains === "") return { fault: 'Write it such as: file notes/motor.md contains "%".' };
  return { check: { type: "file", path, contains } };
}

/** `for 2 s` at the end. */
function holdOf(words: readonly string[]): { holdMs: number; rest: readonly string[] } | { fault: string } {
  const at = words.lastIndexOf("for");
  if (at < 0) return { holdMs: 0, rest: words };
  const [amount = "", unit = "", ...more] = words.slice(at + 1);
  const factor = Object.hasOwn(SECONDS, unit) ? SECONDS[unit] : undefined;
  const holdMs = isNumber(amount) && factor !== undefined ? Math.round(Number(amount) * factor * 1_000) : Number.NaN;
  if (more.length > 0 || !(holdMs >= 0)) return { fault: `"for" needs a time with s, min or ms. ${EXAMPLE}.` };
  if (holdMs > LESSON_LIMITS.maxHoldMs)
    return { fault: `A value has to hold for at most ${LESSON_LIMITS.maxHoldMs / 60_000} minutes.` };
  return { holdMs, rest: words.slice(0, at) };
}

function compareOf([is, ...rest]: readonly string[]): Compare | undefined {
  if (is === "between") {
    const [from = "", and, to = "", ...more] = rest;
    const isRange = and === "and" && more.length === 0 && isNumber(from) && isNumber(to);
    return isRange && Number(from) <= Number(to) ? { is, from: Number(from), to: Number(to) } : undefined;
  }
  const text = rest.join(" ");
  if (text === "") return undefined;
  if (is === "=" || is === "!=") return { is, than: literalOf(text) };
  const isOrder = is === "<" || is === "<=" || is === ">" || is === ">=";
  return isOrder && isNumber(text) ? { is, than: Number(text) } : undefined;
}

function literalOf(text: string): number | boolean | string {
  if (text === "true" || text === "false") return text === "true";
  return isNumber(text) ? Number(text) : text.replace(/^"(.*)"$/, "$1");
}

const shorten = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);
