import { type AST, RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";
import { isLongRun } from "../testing/long.ts";

/** A text that may make an expression backtrack: `pump` is repeated as often as wanted. */
export type Attack = { prefix: string; pump: string; suffix: string };

/** More repetitions than this can add up like endless ones. */
const MANY = 20;
/** What makes an expression fail after it has matched all the rest. */
const SUFFIXES = ["", "\u0000", "\n\u0000"] as const;
const TRIED_CHARACTERS = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ..."é漢–→“\u2028\u00a0",
];
/** Letters first: a readable text is easier to understand when a check fails. */
const READABLE_FIRST = TRIED_CHARACTERS.toSorted((a, b) => Number(/\w/.test(b)) - Number(/\w/.test(a)));

/** Of these, all pairs are tried. */
const MAX_PAIRED = 5;

type Quantified = { before: string; elements: string[]; pairs: string[] };

/**
 * Texts that drive an expression into every repetition it has: one character of each kind that the expression tells apart,
 * pairs of those that one repetition accepts, what a repetition repeats, and the beginning of the expression up to there,
 * again and again. In a long run each of them also after the beginnings that lead to other repetitions.
 */
export function attacksOn(source: string, flags: string): Attack[] {
  const tree = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes("u"),
    unicodeSets: flags.includes("v"),
  });
  const kinds = kindsOfCharacters(tree, flags);
  const quantified = quantifiersIn(tree, kinds, flags);
  const restarts = quantified.flatMap(({ before, elements }) => elements.map((element) => before + element));
  const all = [
    ...kinds,
    ...quantified.flatMap(({ elements, pairs }) => [...elements, ...pairs]),
    ...restarts,
    ...restarts.map((text) => `${text}\n`),
  ];
  const pumpsAfter = new Map([["", new Set(all)]]);
  for (const { before, elements, pairs } of quantified) {
    const pumps = pumpsAfter.get(before) ?? new Set();
    for (const pump of isLongRun ? all : [...kinds, ...elements, ...pairs]) pumps.add(pump);
    pumpsAfter.set(before, pumps);
  }
  return [...pumpsAfter].flatMap(([prefix, pumps]) =>
    [...pumps].filter(Boolean).flatMap((pump) => SUFFIXES.map((suffix) => ({ prefix, pump, suffix }))),
  );
}

function quantifiersIn(tree: AST.Pattern, kinds: readonly string[], flags: string): Quantified[] {
  const found: Quantified[] = [];
  visitRegExpAST(tree, {
    onQuantifierEnter(node) {
      const { element, max } = node;
      if (max < MANY) return;
      const accepted = isCharacterNode(element) ? new Set(charactersOf(element, flags)) : new Set<string>();
      const paired = kinds.filter((character) => accepted.has(character)).slice(-MAX_PAIRED);
      const pairs = paired.flatMap((one) => paired.filter((other) => other !== one).map((other) => one + other));
      found.push({ before: textBefore(node), elements: variantsOf(element), pairs });
    },
  });
  return found;
}

/** A text that leads to a node. */
function textBefore(node: AST.Node): string {
  const { parent } = node;
  if (!parent) return "";
  if (parent.type !== "Alternative") return textBefore(parent);
  const earlier = parent.elements.slice(0, parent.elements.indexOf(node as AST.Element));
  return textBefore(parent) + earlier.map(sampleOf).join("");
}

/** A short text that matches. */
function sampleOf(node: AST.Node): string {
  switch (node.type) {
    case "Pattern":
    case "Group":
    case "CapturingGroup":
      return sampleOf(node.alternatives[0] as AST.Alternative);
    case "Alternative":
      return node.elements.map(sampleOf).join("");
    case "Quantifier":
      return sampleOf(node.element).repeat(Math.min(node.min, 4));
    case "Character":
      return String.fromCodePoint(node.value);
    case "CharacterClass":
    case "CharacterSet":
    case "ExpressionCharacterClass":
      return charactersOf(node)[0] ?? "";
    default:
      return "";
  }
}

/** One text for each way to match what is repeated. */
function variantsOf(node: AST.Node): string[] {
  if (node.type !== "Group" && node.type !== "CapturingGroup") return [sampleOf(node)];
  return node.alternatives.map((alternative) =>
    alternative.elements
      .map((element) => (element.type === "Quantifier" ? sampleOf(element.element) : sampleOf(element)))
      .join(""),
  );
}

type CharacterNode = AST.Character | AST.CharacterClass | AST.CharacterSet | AST.ExpressionCharacterClass;

const CHARACTER_NODES = ["Character", "CharacterClass", "CharacterSet", "ExpressionCharacterClass"];
const isCharacterNode = (node: AST.Node): node is CharacterNode => CHARACTER_NODES.includes(node.type);

function charactersOf(node: CharacterNode, flags = "u"): string[] {
  if (node.type === "Character") return [String.fromCodePoint(node.value)];
  const isMatch = new RegExp(`^(?:${node.raw})$`, flagsFor(node, flags));
  return READABLE_FIRST.filter((character) => isMatch.test(character));
}

function flagsFor(node: CharacterNode, flags: string): string {
  const kept = flags.replace(/[^iuvs]/g, "");
  if (node.type === "ExpressionCharacterClass") return kept.replace("u", "v");
  // Without u, patterns may escape characters that need no escape.
  return node.raw.includes("\\p") || node.raw.includes("\\P") ? kept : kept.replace("u", "");
}

/** One character for each combination of classes that it is in. */
function kindsOfCharacters(tree: AST.Pattern, flags: string): string[] {
  const classes = new Map<string, ReadonlySet<string>>();
  const add = (node: CharacterNode) => {
    if (!classes.has(node.raw)) classes.set(node.raw, new Set(charactersOf(node, flags)));
  };
  visitRegExpAST(tree, {
    onCharacterEnter: (node) => void (node.parent.type === "CharacterClassRange" || add(node)),
    onCharacterClassEnter: add,
    onCharacterSetEnter: add,
    onExpressionCharacterClassEnter: add,
  });
  const byKind = new Map<string, string>();
  for (const character of TRIED_CHARACTERS) {
    const kind = [...classes.values()].map((members) => (members.has(character) ? 1 : 0)).join("");
    // The last one of a kind: letters come after control characters.
    byKind.set(kind, character);
  }
  return [...byKind.values()];
}
