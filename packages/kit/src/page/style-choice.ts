/** `prelude`: the selectors of a rule, or an at-rule up to its block. */
type Block = { prelude: string; declarations: string[]; blocks: Block[] };

const KEYFRAMES = "@keyframes ";

type Vocabulary = { elements: Set<string>; classes: Set<string>; attributes: Set<string> };

/**
 * The rules of a style sheet that can match some markup, with the custom properties that they need, minified. Rules are
 * chosen by class and element names only: some that match nothing are kept, but none that matches is dropped.
 */
export function chooseStyle(css: string, markup: string): string {
  const vocabulary = vocabularyOf(markup);
  const sheet = parse(css);
  const kept = { ...sheet, blocks: sheet.blocks.flatMap((block) => matching(block, vocabulary)) };
  return write(withConstants(withNeeded(kept, namesNeeded(kept))));
}

/** A parser for our own style sheet: it expects no braces or semicolons in strings and URLs. */
function parse(css: string): Block {
  const sheet: Block = { prelude: "", declarations: [], blocks: [] };
  const open = [sheet];
  for (const [, text = "", end] of css.replace(/\/\*[\s\S]*?\*\//g, "").matchAll(/([^{};]*)([{};])/g)) {
    const inner = open.at(-1) ?? sheet;
    const words = text.trim().replace(/\s+/g, " ");
    if (end === "{") {
      const block: Block = { prelude: words, declarations: [], blocks: [] };
      inner.blocks.push(block);
      open.push(block);
      continue;
    }
    if (words !== "") inner.declarations.push(words);
    if (end === "}") open.pop();
  }
  return sheet;
}

function vocabularyOf(markup: string): Vocabulary {
  const tags = [...markup.matchAll(/<([a-z]\w*)([^>]*)>/g)];
  const all = (pattern: RegExp) =>
    tags.flatMap(([, , rest = ""]) => [...rest.matchAll(pattern)].map(([, name = ""]) => name));
  return {
    elements: new Set(tags.map(([, name = ""]) => name)),
    classes: new Set(all(/ class="([^"]*)"/g).flatMap((names) => names.split(" "))),
    attributes: new Set(all(/ ([a-z-]+)/g)),
  };
}

/** The block with only the rules that can match; empty when there are none. */
function matching(block: Block, vocabulary: Vocabulary): Block[] {
  if (block.prelude.startsWith(KEYFRAMES)) return [block];
  if (block.prelude.startsWith("@")) {
    const blocks = block.blocks.flatMap((inner) => matching(inner, vocabulary));
    return blocks.length > 0 ? [{ ...block, blocks }] : [];
  }
  // A comma inside of parentheses does not separate selectors.
  const selectors = block.prelude.split(/, ?(?![^(]*\))/).filter((selector) => canMatch(selector, vocabulary));
  return selectors.length > 0 ? [{ ...block, prelude: selectors.join(",") }] : [];
}

function canMatch(selector: string, vocabulary: Vocabulary): boolean {
  const plain = selector.replace(/:not\([^)]*\)|"[^"]*"/g, "");
  const choice = /:is\(([^)]*)\)/.exec(plain);
  if (choice !== null) {
    const [whole, alternatives = ""] = choice;
    return alternatives.split(",").some((one) => canMatch(plain.replace(whole, one.trim()), vocabulary));
  }
  return [...plain.matchAll(/(\.|\[|::?)?([a-z][\w-]*)/gi)].every(([, kind, name = ""]) => {
    if (kind === ".") return vocabulary.classes.has(name);
    if (kind === "[") return vocabulary.attributes.has(name);
    return kind !== undefined || vocabulary.elements.has(name);
  });
}

const namesIn = (text: string): string[] => [...text.matchAll(/var\((--[\w-]+)/g)].map(([, name = ""]) => name);

const declarationsOf = (block: Block): string[] => [...block.declarations, ...block.blocks.flatMap(declarationsOf)];

/** Custom properties that are used, also by one another, and the names of animations. */
function namesNeeded(sheet: Block): Set<string> {
  const all = declarationsOf(sheet);
  const isCustom = (declaration: string) => declaration.startsWith("--");
  const plain = all.filter((declaration) => !isCustom(declaration));
  const needed = new Set(plain.flatMap(namesIn));
  // Entries that are added during the loop are visited too.
  for (const name of needed) {
    for (const other of all.filter((one) => one.startsWith(`${name}:`)).flatMap(namesIn)) needed.add(other);
  }
  for (const animation of plain.filter((one) => one.startsWith("animation"))) {
    for (const word of animation.split(/[: ]+/)) needed.add(word);
  }
  return needed;
}

function withNeeded(block: Block, needed: Set<string>): Block {
  const isNeeded = (declaration: string) =>
    !declaration.startsWith("--") || needed.has(declaration.split(":", 1)[0] ?? "");
  const isUsed = ({ prelude }: Block) => !prelude.startsWith(KEYFRAMES) || needed.has(prelude.slice(KEYFRAMES.length));
  return {
    prelude: block.prelude,
    declarations: block.declarations.filter(isNeeded),
    blocks: block.blocks.filter(isUsed).map((inner) => withNeeded(inner, needed)),
  };
}

/** Replaces a custom property by its value where it has the same value everywhere and that is shorter. */
function withConstants(sheet: Block): Block {
  return constantsOf(sheet).reduce((rest, name) => {
    const all = declarationsOf(rest);
    const declaration = all.find((one) => one.startsWith(`${name}:`)) ?? "";
    const value = declaration.slice(`${name}: `.length);
    const use = `var(${name})`;
    const uses = all.join().split(use).length - 1;
    const isShorter = uses * value.length <= declaration.length + uses * use.length;
    return isShorter ? replaced(rest, declaration, use, value) : rest;
  }, sheet);
}

function constantsOf(sheet: Block): string[] {
  const all = declarationsOf(sheet);
  // Properties inside a media query are one level deeper and do not always apply.
  const ofRoot = sheet.blocks.flatMap(({ blocks }) => blocks).filter(({ prelude }) => prelude === ":root");
  const names = ofRoot.flatMap(({ declarations }) => declarations).map((one) => one.split(":", 1)[0] ?? "");
  return names.filter(
    (name) =>
      name.startsWith("--") &&
      all.filter((one) => one.startsWith(`${name}:`)).length === 1 &&
      !all.some((one) => one.includes(`var(${name},`)),
  );
}

const replaced = (block: Block, without: string, from: string, to: string): Block => ({
  prelude: block.prelude,
  declarations: block.declarations.filter((one) => one !== without).map((one) => one.replaceAll(from, to)),
  blocks: block.blocks.map((inner) => replaced(inner, without, from, to)),
});

const tighten = (text: string): string => text.replace(/^([\w-]+): /, "$1:").replaceAll(", ", ",");

function write({ prelude, declarations, blocks }: Block): string {
  const content = [...declarations.map((one) => `${tighten(one)};`), ...blocks.map(write)].join("");
  if (prelude === "" || content === "") return content;
  return `${prelude}{${content.replace(/;$/, "")}}`;
}
