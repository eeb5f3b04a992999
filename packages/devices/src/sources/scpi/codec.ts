import { type Codec, createLineReader, readNumber } from "../codec.ts";

/** One command or query of SCPI-99 and IEEE 488.2, such as `:OUTP CH1,ON` or `MEAS:VOLT? CH1`. */
export type ScpiCommand = { header: string; args: readonly string[] };

/** Several commands on one line are separated by semicolons. */
export type ScpiLine = readonly ScpiCommand[];

const COMMON = /^\*[A-Za-z]{1,12}$/;
const MNEMONIC = /^[A-Za-z]\w{0,31}$/;

/** Such as `*IDN?`, `OUTP` or `:SOUR1:CURR?`. */
function isHeader(text: string): boolean {
  const bare = text.replace(/\?$/, "");
  return (
    COMMON.test(bare) ||
    bare
      .replace(/^:/, "")
      .split(":")
      .every((part) => MNEMONIC.test(part))
  );
}

export const scpiCommands: Codec<ScpiLine> = {
  write: (line) =>
    Buffer.from(
      `${line.map(({ header, args }) => [header, ...(args.length > 0 ? [args.join(",")] : [])].join(" ")).join(";")}\n`,
    ),
  createReader: () =>
    createLineReader((text) => {
      const commands = splitOutside(text, ";").map(readCommand);
      const known = commands.filter((command) => command !== undefined);
      return known.length === commands.length ? known : undefined;
    }),
};

/** What an instrument answers: values as they came, texts with their quotes. */
export type ScpiAnswer = readonly string[];

export const scpiAnswers: Codec<ScpiAnswer> = {
  write: (values) => Buffer.from(`${values.join(",")}\n`),
  createReader: () =>
    createLineReader((text) => {
      const values = splitOutside(text, ",").map((value) => value.trim());
      return values.some((value) => value !== "") ? values : undefined;
    }),
};

function readCommand(text: string): ScpiCommand | undefined {
  const trimmed = text.trim();
  const end = trimmed.search(/\s/);
  const header = end === -1 ? trimmed : trimmed.slice(0, end);
  const rest = end === -1 ? "" : trimmed.slice(end).trim();
  if (!isHeader(header)) return undefined;
  return { header, args: rest === "" ? [] : splitOutside(rest, ",").map((arg) => arg.trim()) };
}

/** Splits where the separator is neither in quotes nor in parentheses, as in `"a;b"` and `(@1,2)`. */
function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [];
  let quote = "";
  let isListed = false;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] as string;
    if (quote !== "") quote = letter === quote ? "" : quote;
    else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === "(" || letter === ")") isListed = letter === "(";
    else if (letter === separator && !isListed) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)];
}

/** SCPI-99, 7.2.1.4 and 7.2.1.5: what stands for infinity and for not a number. */
const NONE = 9.9e37;

export function readMeasured(value: string | undefined): number | undefined {
  const number = readNumber(value);
  return number !== undefined && Math.abs(number) < NONE ? number : undefined;
}

/** Without its quotes. */
export function readText(value = ""): string {
  const [first] = value;
  const isQuoted = (first === '"' || first === "'") && value.length > 1 && value.endsWith(first);
  return isQuoted ? value.slice(1, -1) : value;
}
