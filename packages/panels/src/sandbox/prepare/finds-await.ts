/** Whether something waits outside of every function. */
export function findsAwait(node: unknown): boolean {
  const rest: unknown[] = [node];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next !== "object" || next === null) continue;
    if (Array.isArray(next)) {
      for (const part of next) rest.push(part);
      continue;
    }
    const { type, await: waits } = next as { type?: unknown; await?: unknown };
    if (type === "AwaitExpression" || (type === "ForOfStatement" && waits === true)) return true;
    if (typeof type === "string" && FUNCTIONS.has(type)) continue;
    for (const part of Object.values(next)) if (typeof part === "object") rest.push(part);
  }
  return false;
}

const FUNCTIONS: ReadonlySet<string> = new Set([
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunctionExpression",
  "StaticBlock",
]);
