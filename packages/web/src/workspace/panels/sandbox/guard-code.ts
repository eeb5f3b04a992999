import { GUARD_NAME } from "@backplane/contract/panels";
import { parse } from "acorn";

type Node = { type: string; start: number; end: number };
type Block = Node & { body: (Node & { directive?: string })[] };
type Insert = { at: number; text: string };

const CALL = `${GUARD_NAME}();`;
const LOOPS: ReadonlySet<string> = new Set([
  ...["ForStatement", "ForInStatement", "ForOfStatement", "WhileStatement", "DoWhileStatement"],
]);
const FUNCTIONS: ReadonlySet<string> = new Set([
  ...["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"],
]);

/**
 * The same code, with a call of the frame's guard wherever it could go on forever: in every loop and every function. All
 * lines stay where they are. Undefined: it cannot be parsed.
 */
export function guardCode(source: string, sourceType: "script" | "module"): string | undefined {
  try {
    const inserts: Insert[] = [];
    visit(parse(source, { ecmaVersion: "latest", sourceType }), inserts);
    return insertAll(source, inserts);
  } catch {
    return undefined;
  }
}

function insertAll(source: string, inserts: readonly Insert[]): string {
  const parts: string[] = [];
  let from = 0;
  // Sorting keeps the order of those at one place.
  for (const { at, text } of [...inserts].sort((a, b) => a.at - b.at)) {
    parts.push(source.slice(from, at), text);
    from = at;
  }
  parts.push(source.slice(from));
  return parts.join("");
}

function visit(node: Node, inserts: Insert[]): void {
  const mayGoOn = LOOPS.has(node.type) || FUNCTIONS.has(node.type);
  const close = mayGoOn ? open((node as Node & { body: Node }).body, inserts) : undefined;
  for (const part of Object.values(node)) {
    if (Array.isArray(part)) {
      for (const each of part) if (isNode(each)) visit(each, inserts);
    } else if (isNode(part)) visit(part, inserts);
  }
  // After what is inside it: what ends at the same place inside ends first.
  if (close) inserts.push(close);
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";

/** Begins the body of a loop or function with the call. Returns what ends it, if it had no braces. */
function open(body: Node, inserts: Insert[]): Insert | undefined {
  if (body.type === "BlockStatement") {
    const directives = (body as Block).body.filter(({ directive }) => directive !== undefined);
    const last = directives.at(-1);
    inserts.push(last ? { at: last.end, text: `;${CALL}` } : { at: body.start + 1, text: CALL });
    return undefined;
  }
  const isStatement = body.type.endsWith("Statement");
  inserts.push({ at: body.start, text: isStatement ? `{${CALL}` : `(${GUARD_NAME}(),` });
  return { at: body.end, text: isStatement ? "}" : ")" };
}
