import { Script } from "node:vm";
import { Parser, type Program } from "acorn";

export type Parsed =
  | { kind: "program"; text: string; program: Program }
  /** Too new for the parser, but this engine compiles it: a browser may run it unchanged. */
  | { kind: "unknown" }
  | { kind: "fault"; error: string };

const parseScript = (text: string): Program =>
  QuickParser.parse(text, { ecmaVersion: "latest", sourceType: "script", allowAwaitOutsideFunction: true });

/** What acorn's plugins use, beyond its types. */
type Internals = {
  enterScope(flags: number): void;
  currentScope(): Record<"var" | "lexical" | "functions", string[]>;
  raise(at: number, message: string): never;
};

/** acorn compares each declared name, and each named group of a regular expression, with all others: quadratic time. */
const QuickParser = Parser.extend((Base) => {
  const { enterScope } = Base.prototype as unknown as Internals;
  return class extends Base {
    enterScope(flags: number): void {
      enterScope.call(this, flags);
      const scope = (this as unknown as Internals).currentScope();
      Object.assign(scope, { var: new Names(), lexical: new Names(), functions: new Names() });
    }

    validateRegExpPattern({ source, flags, start }: { source: string; flags: string; start: number }): void {
      try {
        new RegExp(source, flags);
      } catch (error) {
        (this as unknown as Internals).raise(start, (error as Error).message);
      }
    }
  };
});

class Names extends Array<string> {
  #known: Set<string> | undefined;

  override push(name: string): number {
    this.#known ??= new Set();
    this.#known.add(name);
    return super.push(name);
  }

  /** acorn only asks whether it is there. */
  override indexOf(name: string): number {
    return this.#known?.has(name) ? 0 : -1;
  }
}

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
