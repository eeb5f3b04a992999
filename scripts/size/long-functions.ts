import { parse } from "@swc/core";

export type LongFunction = { path: string; line: number; name: string; lines: number };

type Node = {
  type?: string;
  span?: { start: number; end: number };
  identifier?: { value?: string };
  id?: { value?: string };
};

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression", "ClassMethod"]);

/** Functions, methods and closures that have more than `maxLines` lines. */
export async function longFunctions(
  { path, text }: { path: string; text: string },
  maxLines: number,
): Promise<LongFunction[]> {
  // Positions are bytes from a start that grows with every file that was parsed; an empty statement marks that start.
  const marked = `;${text}`;
  const tree = await parse(marked, { syntax: "typescript", tsx: path.endsWith(".tsx"), target: "esnext" });
  const bytes = Buffer.from(marked);
  const lineOf = (position: number) => countLines(bytes, position - tree.span.start);
  const found: LongFunction[] = [];
  visit(tree as unknown as Node, "", (node, name) => {
    if (!node.span || !FUNCTIONS.has(node.type ?? "")) return;
    const line = lineOf(node.span.start);
    const lines = lineOf(node.span.end) - line + 1;
    if (lines > maxLines) found.push({ path, line, name: nameOf(node) ?? name, lines });
  });
  return found;
}

function countLines(bytes: Buffer, end: number): number {
  let lines = 1;
  for (let at = bytes.indexOf(10); at >= 0 && at < end; at = bytes.indexOf(10, at + 1)) lines += 1;
  return lines;
}

const nameOf = ({ identifier, id }: Node): string | undefined => identifier?.value ?? id?.value;

/** `name`: the variable or function around a node. */
function visit(value: unknown, name: string, look: (node: Node, name: string) => void): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) visit(item, name, look);
    return;
  }
  const node = value as Node;
  look(node, name);
  const inner = nameOf(node) ?? name;
  for (const [key, child] of Object.entries(node)) if (key !== "span") visit(child, inner, look);
}
