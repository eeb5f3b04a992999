import { randomBytes } from "node:crypto";
import type { Program, Statement, VariableDeclaration } from "acorn";
import MagicString from "magic-string";
import { innerStatements, isUsing } from "./syntax-tree.ts";

/**
 * For code without `await`: in an indirect eval, `var` and functions persist and may be repeated, and the language itself
 * provides the value. Other declarations become a `var`.
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
  // `let x` sets undefined; `var x` would keep the old value.
  for (const { id, init } of declarations) if (!init) edited.appendLeft(id.end, " = void 0");
}

/**
 * For code with `await`, or strict code: it runs within a function, so its declarations become assignments to global names
 * that the frame has created, and every statement that may provide the value stores it.
 */
export function asFunction(text: string, { body }: Program, isAsync: boolean): string {
  const edited = new MagicString(text);
  const value = freeName(text, "$value");
  const functions: string[] = [];
  const directives: string[] = [];
  for (const statement of body as Statement[]) {
    if (statement.type === "FunctionDeclaration") functions.push(statement.id.name);
    else if (statement.type === "ClassDeclaration") {
      edited.appendRight(statement.start, `${statement.id.name} = `).appendLeft(statement.end, ";");
    } else if (statement.type === "VariableDeclaration") {
      if (!isUsing(statement)) assign(edited, text, statement);
    } else if (statement.type === "ExpressionStatement" && statement.directive !== undefined) {
      directives.push(text.slice(statement.start, statement.expression.end));
    } else {
      editInside(edited, text, statement, value);
    }
  }
  const kept = functions.map((name) => `globalThis.${name} = ${name};`).join("");
  // All on the first line, so that line numbers stay the same.
  edited.prepend(
    `(${isAsync ? "async " : ""}() => {${directives.map((text) => `${text};`).join("")}let ${value};${kept}`,
  );
  edited.append(`\nreturn ${value}})()`);
  return edited.toString();
}

/** Not by counting up: code could contain all that come first. */
function freeName(text: string, wanted: string): string {
  let name = wanted;
  while (text.includes(name)) name = `${wanted}_${randomBytes(8).toString("hex")}`;
  return name;
}

function editInside(edited: MagicString, text: string, statement: Statement, value: string): void {
  for (const { node, isLoopHead } of innerStatements(statement)) {
    if (node.type === "ExpressionStatement") {
      const end = endOf(text, node);
      edited.appendRight(node.start, `${value} = (`).appendLeft(end, ")");
    } else if (node.type === "VariableDeclaration" && node.kind === "var") {
      if (isLoopHead) edited.remove(node.start, node.declarations[0]?.start ?? node.start);
      else assign(edited, text, node);
    }
  }
}

/** `let a = 1, b` becomes `void (a = 1, b = void 0);` */
function assign(edited: MagicString, text: string, node: VariableDeclaration): void {
  const [first] = node.declarations;
  if (!first) return;
  edited.update(node.start, first.start, "void (");
  for (const { id, init } of node.declarations) {
    if (init) continue;
    // `var x` keeps what x is, `let x` does not.
    if (node.kind === "var") edited.update(id.start, id.end, "0");
    else edited.appendLeft(id.end, " = void 0");
  }
  const end = endOf(text, node);
  edited.appendLeft(end, end === node.end ? ");" : ")");
}

/** Before the semicolon, if it has one. */
const endOf = (text: string, { end }: { end: number }): number => (text[end - 1] === ";" ? end - 1 : end);
