import { type Codec, createLineReader, readNumber } from "../codec.ts";

/**
 * A line to an ODrive (docs.odriverobotics.com, "ASCII Protocol"). Turns, turns per second and newton metres.
 * t: trajectory, q and p: position, v: velocity, c: torque, f: feedback, u: watchdog, r and w: a property, s…: system.
 */
export type ODriveRequest = { isChecked?: true } & (
  | { command: "t" | "q" | "p" | "v" | "c" | "f" | "u"; axis: number; values: readonly number[] }
  | { command: "r"; property: string }
  | { command: "w"; property: string; value: string }
  | { command: "ss" | "se" | "sr" | "sc" }
);

/** Least and most numbers after the axis. */
const NUMBERS = { t: [1, 1], q: [1, 3], p: [1, 3], v: [1, 2], c: [1, 1], f: [0, 0], u: [0, 0] } as const;
const SYSTEM = ["ss", "se", "sr", "sc"] as const;
const PROPERTY = /^[\w.]{1,128}$/;
const CHECKSUM = /^\d{1,3}$/;

export const odriveRequests: Codec<ODriveRequest> = {
  write: (request) => writeLine(wordsOf(request).join(" "), request.isChecked ? " " : undefined, "\n"),
  createReader: () =>
    createLineReader((line) => {
      const checked = withoutChecksum(line.split(";", 1)[0] ?? "");
      const request = checked && readRequest(wordsIn(checked.text));
      return request && checked.isChecked ? { ...request, isChecked: true } : request;
    }),
};

/** A line from an ODrive, without its checksum. */
export type ODriveAnswer = { text: string; isChecked?: true };

export const odriveAnswers: Codec<ODriveAnswer> = {
  write: ({ text, isChecked }) => writeLine(text, isChecked ? "" : undefined, "\r\n"),
  createReader: () =>
    createLineReader((line) => {
      const checked = withoutChecksum(line);
      const text = checked?.text.trim();
      return text ? { text, ...(checked?.isChecked ? { isChecked: true } : {}) } : undefined;
    }),
};

/** The numbers of an answer, such as position and velocity; undefined: it is something else, such as an error. */
export function readNumbers(text: string, count: number): number[] | undefined {
  const words = wordsIn(text);
  const numbers = words.map(readNumber).filter((number) => number !== undefined);
  return words.length === count && numbers.length === count ? numbers : undefined;
}

const wordsIn = (text: string): string[] => text.split(" ").filter((word) => word !== "");

function wordsOf(request: ODriveRequest): readonly (string | number)[] {
  if ("axis" in request) return [request.command, request.axis, ...request.values.map(plainNumber)];
  if (request.command === "w") return [request.command, request.property, request.value];
  return request.command === "r" ? [request.command, request.property] : [request.command];
}

function readRequest([command = "", ...words]: readonly string[]): ODriveRequest | undefined {
  const system = SYSTEM.find((known) => known === command);
  if (system) return words.length === 0 ? { command: system } : undefined;
  const [first = "", ...others] = words;
  if (command === "r") return PROPERTY.test(first) && others.length === 0 ? { command, property: first } : undefined;
  if (command === "w") {
    const [value] = others;
    if (!PROPERTY.test(first) || value === undefined || others.length > 1) return undefined;
    return { command, property: first, value };
  }
  if (!Object.hasOwn(NUMBERS, command) || !/^\d$/.test(first)) return undefined;
  const known = command as keyof typeof NUMBERS;
  const [least, most] = NUMBERS[known];
  if (others.length < least || others.length > most) return undefined;
  const values = others.length === 0 ? [] : readNumbers(others.join(" "), others.length);
  return values && { command: known, axis: Number(first), values };
}

/** The firmware reads numbers with sscanf: no exponents, so that every version reads them. */
const plainNumber = (value: number): string => String(Number(value.toFixed(6)));

const checksumOf = (text: string): number => Buffer.from(text).reduce((sum, byte) => sum ^ byte, 0);

/** `gap`: what is between the text and the checksum; undefined: no checksum. */
const writeLine = (text: string, gap: string | undefined, end: string): Buffer =>
  Buffer.from(gap === undefined ? text + end : `${text}${gap}*${checksumOf(text + gap)}${end}`);

/** Undefined: the checksum is wrong. */
function withoutChecksum(line: string): { text: string; isChecked: boolean } | undefined {
  const star = line.indexOf("*");
  if (star === -1) return { text: line, isChecked: false };
  const text = line.slice(0, star);
  const given = line.slice(star + 1).trim();
  return CHECKSUM.test(given) && Number(given) === checksumOf(text) ? { text, isChecked: true } : undefined;
}
