import { parse } from "@swc/core";

export type Expression = { path: string; source: string; flags: string };
/** `madeAtRunTime`: whether the file also has a `new RegExp()` of something other than a string. */
export type Found = { expressions: Expression[]; madeAtRunTime: boolean };

type Node = {
  type?: string;
  pattern?: string;
  flags?: string;
  value?: unknown;
  callee?: Node;
  arguments?: { expression: Node }[];
};

/** The regular expressions of a file: literals, and strings that begin with ^, as schemas have them. */
export async function findExpressions({ path, text }: { path: string; text: string }): Promise<Found> {
  const isTyped = /\.tsx?$/.test(path);
  const syntax = isTyped
    ? ({ syntax: "typescript", tsx: path.endsWith(".tsx") } as const)
    : ({ syntax: "ecmascript" } as const);
  const found: Found = { expressions: [], madeAtRunTime: false };
  visit(await parse(text, { ...syntax, target: "esnext" }), (node) => {
    if (node.type === "RegExpLiteral") {
      found.expressions.push({ path, source: node.pattern ?? "", flags: node.flags ?? "" });
    } else if (node.type === "StringLiteral" && isPattern(String(node.value))) {
      found.expressions.push({ path, source: String(node.value), flags: "u" });
    } else if (node.type === "NewExpression" && node.callee?.value === "RegExp") {
      found.madeAtRunTime ||= node.arguments?.[0]?.expression.type !== "StringLiteral";
    }
  });
  return found;
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
