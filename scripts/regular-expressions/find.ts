import { type ESTree, parseSync } from "rolldown/utils";
import { isLongRun } from "../testing/long.ts";

export type Expression = { path: string; source: string; flags: string };
/** `madeAtRunTime`: whether the file also has a `new RegExp()` of something other than a string. */
export type Found = { expressions: Expression[]; madeAtRunTime: boolean };

/**
 * What every file with an expression has: `RegExp`, a string that begins with ^ or an escape, or two slashes on a line
 * of which the first does not follow a value, as it would in a division. Parsing takes long, so the others are not parsed.
 */
const MAY_HAVE_SOME = /RegExp|["'][\^\\]|(?:^|[^\w$)\]"'`./*<])\/(?![/*]).+\//m;

type Node = ESTree.StringLiteral | ESTree.RegExpLiteral | ESTree.NewExpression;

/** The regular expressions of a file: literals, and strings that begin with ^, as schemas have them. */
export function findExpressions({ path, text }: { path: string; text: string }): Found {
  const found: Found = { expressions: [], madeAtRunTime: false };
  const mayHaveSome = MAY_HAVE_SOME.test(text);
  if (!mayHaveSome && !isLongRun) return found;
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  visit(program, (node) => {
    if (node.type === "NewExpression") {
      const isExpression = node.callee.type === "Identifier" && node.callee.name === "RegExp";
      if (isExpression) found.madeAtRunTime ||= !isString(node.arguments[0]);
    } else if (node.type === "Literal" && "regex" in node) {
      found.expressions.push({ path, source: node.regex.pattern, flags: node.regex.flags });
    } else if (isString(node) && isPattern(node.value)) {
      found.expressions.push({ path, source: node.value, flags: "u" });
    }
  });
  const hasSome = found.madeAtRunTime || found.expressions.length > 0;
  if (hasSome && !mayHaveSome) throw new Error(`${path} has an expression that MAY_HAVE_SOME does not notice`);
  return found;
}

function isString(node: { type: string; value?: unknown } | undefined): node is ESTree.StringLiteral {
  return node?.type === "Literal" && typeof node.value === "string";
}

function isPattern(text: string): boolean {
  if (!text.startsWith("^")) return false;
  try {
    return new RegExp(text, "u") !== undefined;
  } catch {
    return false;
  }
}

function visit(value: unknown, look: (node: Node) => void): void {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) look(value as Node);
  for (const child of Object.values(value)) visit(child, look);
}
