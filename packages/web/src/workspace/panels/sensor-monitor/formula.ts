/** A formula over the fields of one capability, such as `= bus_voltage_v * current_a`. Nothing of it is ever run as code. */
export type Formula = {
  fields: readonly string[];
  /** NaN: a field has no value, or it is not defined there. */
  evaluate(fieldValue: (field: string) => number): number;
  unit(unitOf: (field: string) => string): string;
};

export class FormulaFault extends Error {
  override name = "FormulaFault";
}

const MAX_LENGTH = 200;
const MAX_DEPTH = 32;

const FUNCTIONS: Readonly<Record<string, { count: number; run: (...values: number[]) => number; keepsUnit: boolean }>> =
  {
    abs: { count: 1, run: Math.abs, keepsUnit: true },
    sqrt: { count: 1, run: Math.sqrt, keepsUnit: false },
    sin: { count: 1, run: Math.sin, keepsUnit: false },
    cos: { count: 1, run: Math.cos, keepsUnit: false },
    tan: { count: 1, run: Math.tan, keepsUnit: false },
    atan2: { count: 2, run: Math.atan2, keepsUnit: false },
    exp: { count: 1, run: Math.exp, keepsUnit: false },
    ln: { count: 1, run: Math.log, keepsUnit: false },
    log10: { count: 1, run: Math.log10, keepsUnit: false },
    min: { count: 2, run: Math.min, keepsUnit: true },
    max: { count: 2, run: Math.max, keepsUnit: true },
    hypot: { count: 2, run: Math.hypot, keepsUnit: true },
  };
const CONSTANTS: Readonly<Record<string, number>> = { pi: Math.PI };

type Node =
  | { is: "number"; value: number }
  | { is: "field"; name: string }
  | { is: "call"; name: string; of: Node[] }
  | { is: "binary"; sign: "+" | "-" | "*" | "/" | "^"; left: Node; right: Node };

const TOKEN = /\s*(?:(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)|([a-z_][a-z0-9_.]*)|([-+*/^(),]))/iy;

/** With or without the `=` in front. Throws FormulaFault, which says where and what. */
export function parseFormula(text: string, known: readonly string[]): Formula {
  const tokens = tokensOf(text.replace(/^\s*=/, ""));
  const fields = new Set<string>();
  let place = 0;
  let depth = 0;
  const peek = () => tokens[place];
  const take = () => tokens[place++];
  const takeIf = (...wanted: string[]) => (wanted.includes(peek() ?? "") ? take() : undefined);
  const expect = (wanted: string) => {
    if (take() !== wanted)
      throw new FormulaFault(`Here is a "${wanted}" missing${place > tokens.length ? " at the end" : ""}.`);
  };

  function binary(lower: () => Node, ...signs: ("+" | "-" | "*" | "/")[]): Node {
    let left = lower();
    for (let sign = takeIf(...signs); sign; sign = takeIf(...signs)) {
      left = { is: "binary", sign: sign as "+", left, right: lower() };
    }
    return left;
  }
  const sum = (): Node => binary(product, "+", "-");
  const product = (): Node => binary(signed, "*", "/");
  function signed(): Node {
    if (takeIf("-")) return { is: "binary", sign: "-", left: { is: "number", value: 0 }, right: deeper(signed) };
    if (takeIf("+")) return deeper(signed);
    return power();
  }
  function power(): Node {
    const left = atom();
    return takeIf("^") ? { is: "binary", sign: "^", left, right: deeper(signed) } : left;
  }
  function deeper(parse: () => Node): Node {
    depth += 1;
    if (depth > MAX_DEPTH) throw new FormulaFault("This formula is nested too deeply.");
    const node = parse();
    depth -= 1;
    return node;
  }
  function atom(): Node {
    const token = take();
    if (token === undefined) throw new FormulaFault("The formula ends too early.");
    if (token === "(") {
      const inside = deeper(sum);
      expect(")");
      return inside;
    }
    if (/^[\d.]/.test(token)) return { is: "number", value: Number(token) };
    if (!/^[a-z_]/i.test(token)) throw new FormulaFault(`"${token}" has nothing before it to work on.`);
    return peek() === "(" ? called(token) : named(token);
  }
  function named(name: string): Node {
    if (known.includes(name)) {
      fields.add(name);
      return { is: "field", name };
    }
    if (Object.hasOwn(CONSTANTS, name)) return { is: "number", value: CONSTANTS[name] as number };
    throw new FormulaFault(`"${name}" is not measured. There is ${known.join(", ")}.`);
  }
  function called(name: string): Node {
    const known = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (!known) throw new FormulaFault(`There is no function "${name}", but ${Object.keys(FUNCTIONS).join(", ")}.`);
    expect("(");
    const of = [deeper(sum)];
    while (takeIf(",")) of.push(deeper(sum));
    expect(")");
    if (of.length !== known.count)
      throw new FormulaFault(`${name} takes ${known.count} ${known.count === 1 ? "value" : "values"}.`);
    return { is: "call", name, of };
  }

  const root = sum();
  if (place < tokens.length) throw new FormulaFault(`"${peek()}" does not belong here.`);
  return {
    fields: [...fields],
    evaluate: (fieldValue) => evaluate(root, fieldValue),
    unit: (unitOf) => unitWords(unitOfNode(root, unitOf)),
  };
}

function tokensOf(text: string): string[] {
  if (text.length > MAX_LENGTH) throw new FormulaFault(`A formula has at most ${MAX_LENGTH} characters.`);
  if (text.trim() === "") throw new FormulaFault("Write a formula, such as = voltage_v * current_a.");
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (!match) throw new FormulaFault(`"${text.slice(from).trim().charAt(0)}" is not part of a formula.`);
    tokens.push((match[1] ?? match[2] ?? match[3]) as string);
  }
  return tokens;
}

function evaluate(node: Node, fieldValue: (field: string) => number): number {
  switch (node.is) {
    case "number":
      return node.value;
    case "field":
      return fieldValue(node.name);
    case "call":
      return finite(FUNCTIONS[node.name]?.run(...node.of.map((each) => evaluate(each, fieldValue))) ?? Number.NaN);
    case "binary":
      return finite(combine(node.sign, evaluate(node.left, fieldValue), evaluate(node.right, fieldValue)));
  }
}

const finite = (value: number): number => (Number.isFinite(value) ? value : Number.NaN);

function combine(sign: "+" | "-" | "*" | "/" | "^", left: number, right: number): number {
  if (sign === "+") return left + right;
  if (sign === "-") return left - right;
  if (sign === "*") return left * right;
  return sign === "/" ? left / right : left ** right;
}

/** A unit as powers of its parts; undefined: what it is in is not known. */
type Unit = ReadonlyMap<string, number> | undefined;

const NONE: ReadonlyMap<string, number> = new Map();

function unitOfNode(node: Node, unitOf: (field: string) => string): Unit {
  if (node.is === "number") return NONE;
  if (node.is === "field") return unitOf(node.name) === "" ? NONE : new Map([[unitOf(node.name), 1]]);
  if (node.is === "call") {
    const [first] = node.of;
    return FUNCTIONS[node.name]?.keepsUnit && first ? unitOfNode(first, unitOf) : NONE;
  }
  const [left, right] = [unitOfNode(node.left, unitOf), unitOfNode(node.right, unitOf)];
  if (!left || !right) return undefined;
  if (node.sign === "*") return joined(left, right, 1);
  if (node.sign === "/") return joined(left, right, -1);
  if (node.sign === "^") return node.right.is === "number" ? joined(NONE, left, node.right.value) : undefined;
  // A plain number may be added to anything: an offset.
  return left.size === 0 ? right : left;
}

function joined(left: NonNullable<Unit>, right: NonNullable<Unit>, times: number): Unit {
  const all = new Map(left);
  for (const [name, power] of right) all.set(name, (all.get(name) ?? 0) + times * power);
  return new Map([...all].filter(([, power]) => power !== 0));
}

/** Products that have a name of their own. */
const NAMED: Readonly<Record<string, string>> = {
  A·V: "W",
  s·W: "J",
  N·m: "N·m",
  A·Ω: "V",
  "V/A": "Ω",
  "W/V": "A",
  "W/A": "V",
  Hz·s: "",
};

const RAISED = ["⁰", "¹", "²", "³", "⁴"];

function raised(name: string, power: number): string {
  if (power === 1) return name;
  return `${/^\p{L}+$/u.test(name) ? name : `(${name})`}${RAISED[power] ?? `^${power}`}`;
}

function unitWords(unit: Unit): string {
  if (!unit) return "";
  const part = (sign: number) =>
    [...unit]
      .filter(([, power]) => Math.sign(power) === sign)
      .map(([name, power]) => raised(name, Math.abs(power)))
      .sort((a, b) => a.localeCompare(b))
      .join("·");
  const [over, under] = [part(1), part(-1)];
  const words = under === "" ? over : `${over === "" ? "1" : over}/${under}`;
  return NAMED[words] ?? words;
}
