import type { Program, Statement, VariableDeclaration } from "acorn";
import MagicString from "magic-string";

/**
 * For code that waits for nothing: run by an indirect eval, `var` and functions stay and may come again, and the value
 * is the one that the language itself gives. What else declares something is made a `var`.
 */
export function asScript(text: string, { body }: Program): string {
  if (!body.some(needsVar)) return text;
  const edited = new MagicString(text);
  for (const statement of body as Statement[]) {
    if (statement.type === "ClassDeclaration") {
      edited.appendRight(statement.start, `var ${statement.id.name} = `).appendLeft(statement.end, ";");
    } else if (statement.type === "VariableDeclaration" && statement.kind !== "var") {
      makeVar(edited, statement);
    }
  }
  return edited.toString();
}

const needsVar = (statement: { type: string; kind?: unknown }): boolean =>
  statement.type === "ClassDeclaration" || (statement.type === "VariableDeclaration" && statement.kind !== "var");

function makeVar(edited: MagicString, { start, kind, declarations }: VariableDeclaration): void {
  edited.update(start, start + kind.length, "var");
  // `let x` says undefined; `var x` would keep what x was.
  for (const { id, init } of declarations) if (!init) edited.appendLeft(id.end, " = void 0");
}
