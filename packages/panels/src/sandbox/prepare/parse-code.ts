import { Script } from "node:vm";
import { type Program, parse } from "acorn";

export type Parsed =
  | { kind: "program"; text: string; program: Program }
  /** Too new for the parser, but this engine compiles it: a browser may run it unchanged. */
  | { kind: "unknown" }
  | { kind: "fault"; error: string };

const parseScript = (text: string): Program =>
  parse(text, { ecmaVersion: "latest", sourceType: "script", allowAwaitOutsideFunction: true });

/** As in a console, code in braces is an object if it can be one. */
function looksLikeObject(code: string): boolean {
  const trimmed = code.trim();
  return trimmed.startsWith("{") && trimmed.endsWith("}");
}

export function parseCode(code: string): Parsed {
  if (looksLikeObject(code)) {
    const text = `(${code}\n)`;
    try {
      return { kind: "program", text, program: parseScript(text) };
    } catch {
      // A block, then.
    }
  }
  try {
    return { kind: "program", text: code, program: parseScript(code) };
  } catch (error) {
    if (error instanceof RangeError) return { kind: "fault", error: "SyntaxError: the code is nested too deeply" };
    return compiles(code) ? { kind: "unknown" } : { kind: "fault", error: describe(error) };
  }
}

function compiles(code: string): boolean {
  try {
    return new Script(code) !== undefined;
  } catch {
    return false;
  }
}

type AcornError = { message?: unknown; loc?: { line: number; column: number } };

function describe(error: unknown): string {
  const { message, loc } = error as AcornError;
  const text = String(message).replace(/ \(\d+:\d+\)$/, "");
  return `SyntaxError: ${text}${loc ? whereIs(loc) : ""}`;
}

/** Lines and columns are counted from 1. */
const whereIs = ({ line, column }: { line: number; column: number }): string => ` (line ${line}, column ${column + 1})`;

/** The same for an offset in a text. */
export function whereInText(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return whereIs({ line: before.length, column: before.at(-1)?.length ?? 0 });
}
