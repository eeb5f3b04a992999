import type { Statement } from "acorn";
import { parseCode, whereInText } from "./parse-code.ts";
import { asFunction, asScript } from "./rewrite.ts";
import { declaredNames, findsAwait, isUsing } from "./syntax-tree.ts";

export type PreparedCode =
  /** What a frame runs: see `frame/run-code.ts`. */
  { ok: true; code: string; isPrepared: boolean } | { ok: false; error: string };

/** The first line of prepared code, as JSON. */
export type CodeHead = {
  /** Global names that the code declares. */
  names?: string[];
  /** The beginning of the code as it was sent, where it was rewritten. */
  shown?: string;
};

/** How much of the original code is shown to people when it was rewritten. */
const MAX_SHOWN_LENGTH = 1_000;

/** Names that a page cannot redefine. */
const FIXED_NAMES: ReadonlySet<string> = new Set([
  "window",
  "document",
  "location",
  "top",
  "undefined",
  "NaN",
  "Infinity",
]);

/**
 * Makes code behave as in a console: `await` works, declarations persist and may be repeated, and the value of the last
 * expression is the result. Syntax errors are reported with their position, without a browser.
 */
export function prepareCode(code: string): PreparedCode {
  const parsed = parseCode(code);
  if (parsed.kind === "fault") return { ok: false, error: parsed.error };
  if (parsed.kind === "unknown") return { ok: true, code, isPrepared: false };
  const { text, program } = parsed;
  const body = program.body as Statement[];
  const names = new Set<string>();
  for (const { name, start } of declaredNames(body)) {
    if (FIXED_NAMES.has(name)) {
      return {
        ok: false,
        error: `SyntaxError: Identifier '${name}' has already been declared${whereInText(text, start)}`,
      };
    }
    names.add(name);
  }
  const isAsync = code.includes("await") && findsAwait(body);
  const source = isAsync || body.some(needsFunction) ? asFunction(text, program, isAsync) : asScript(text, program);
  const head: CodeHead = {
    ...(names.size > 0 ? { names: [...names] } : {}),
    ...(source === code ? {} : { shown: code.slice(0, MAX_SHOWN_LENGTH) }),
  };
  return { ok: true, code: `${JSON.stringify(head)}\n${source}`, isPrepared: true };
}

/** Strict code keeps its declarations to itself, and `using` needs a scope that ends. */
const needsFunction = (statement: Statement): boolean =>
  (statement.type === "ExpressionStatement" && statement.directive === "use strict") ||
  (statement.type === "VariableDeclaration" && isUsing(statement));
