import type { Node, Pattern, Statement, VariableDeclaration } from "acorn";

/** A declared name and its position. */
export type DeclaredName = { name: string; start: number };

export const isUsing = ({ kind }: VariableDeclaration): boolean => kind !== "var" && kind !== "let" && kind !== "const";

function* namesIn(pattern: Pattern): Generator<DeclaredName> {
  switch (pattern.type) {
    case "Identifier":
      yield { name: pattern.name, start: pattern.start };
      break;
    case "ObjectPattern":
      for (const part of pattern.properties) yield* namesIn(part.type === "RestElement" ? part.argument : part.value);
      break;
    case "ArrayPattern":
      for (const part of pattern.elements) if (part) yield* namesIn(part);
      break;
    case "AssignmentPattern":
      yield* namesIn(pattern.left);
      break;
    case "RestElement":
      yield* namesIn(pattern.argument);
      break;
    default:
  }
}

/** What persists in a console: top-level declarations, and every `var` outside functions. */
export function* declaredNames(body: readonly Statement[]): Generator<DeclaredName> {
  for (const statement of body) {
    if (statement.type === "FunctionDeclaration" || statement.type === "ClassDeclaration") {
      yield { name: statement.id.name, start: statement.id.start };
    } else if (statement.type === "VariableDeclaration") {
      if (!isUsing(statement)) yield* namesOf(statement);
    } else {
      for (const { node } of innerVars(statement)) yield* namesOf(node);
    }
  }
}

function* namesOf({ declarations }: VariableDeclaration): Generator<DeclaredName> {
  for (const { id } of declarations) yield* namesIn(id);
}

type InnerVar = { node: VariableDeclaration; isLoopHead: boolean };

/** `var` declarations within a statement. */
function* innerVars(statement: Statement): Generator<InnerVar> {
  for (const { node, isLoopHead } of innerStatements(statement)) {
    if (node.type === "VariableDeclaration" && node.kind === "var") yield { node, isLoopHead };
  }
}

type InnerStatement = { node: Statement; isLoopHead: boolean };

/** A statement and all statements inside it, but not those inside functions and classes. */
export function* innerStatements(statement: Statement): Generator<InnerStatement> {
  const rest: InnerStatement[] = [{ node: statement, isLoopHead: false }];
  for (let next = rest.pop(); next; next = rest.pop()) {
    yield next;
    for (const part of partsOf(next.node)) rest.push(part);
  }
}

const plain = (node: Statement): InnerStatement => ({ node, isLoopHead: false });
const head = (node: Node | null | undefined): InnerStatement[] =>
  node?.type === "VariableDeclaration" ? [{ node: node as VariableDeclaration, isLoopHead: true }] : [];

function partsOf(node: Statement): InnerStatement[] {
  switch (node.type) {
    case "BlockStatement":
      return node.body.map(plain);
    case "IfStatement":
      return node.alternate ? [plain(node.consequent), plain(node.alternate)] : [plain(node.consequent)];
    case "ForStatement":
      return [...head(node.init), plain(node.body)];
    case "ForInStatement":
    case "ForOfStatement":
      return [...head(node.left), plain(node.body)];
    case "WhileStatement":
    case "DoWhileStatement":
    case "LabeledStatement":
    case "WithStatement":
      return [plain(node.body)];
    case "TryStatement":
      return [node.block, node.handler?.body, node.finalizer].flatMap((part) => (part ? [plain(part)] : []));
    case "SwitchStatement":
      return node.cases.flatMap(({ consequent }) => consequent.map(plain));
    default:
      return [];
  }
}

/** Whether there is an `await` outside all functions. */
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
