import type { Dialect, LibrarySymbol, Schematic } from "../schematic/index.ts";
import {
  child,
  children,
  type List,
  layoutOf,
  type NewNode,
  type Node,
  nameOf,
  quoted,
  type Splice,
  textAt,
  writeNode,
} from "../sexpr/index.ts";

/** Lists that a KiCad before the given one would refuse. */
const SINCE: Readonly<Record<string, Dialect>> = {
  text_box: 7,
  show_name: 7,
  do_not_autoplace: 7,
  exclude_from_sim: 8,
  embedded_fonts: 9,
  embedded_files: 9,
};

/** Later than every KiCad that we write. */
const LATER = new Set([
  "in_pos_files",
  "duplicate_pin_numbers_are_jumpers",
  "jumper_pin_groups",
  "body_styles",
  "private",
]);

/** Words until KiCad 7, lists that say yes or no since KiCad 8: `hide`, `(hide yes)`. */
const FLAGS = new Set(["hide", "bold", "italic"]);

function translate(node: Node, dialect: Dialect, inside: string): NewNode | undefined {
  if (node.kind !== "list") return node.kind === "string" ? quoted(node.value) : node.value;
  const name = nameOf(node) ?? "";
  if (LATER.has(name) || (Object.hasOwn(SINCE, name) && (SINCE[name] ?? 0) > dialect)) return undefined;
  const asWord = dialect < 8 || (dialect < 9 && (inside === "pin_numbers" || inside === "pin_names"));
  if (FLAGS.has(name) && asWord) return textAt(node, 1) === "no" ? undefined : name;
  if (name === "power" && dialect < 9) return ["power"];
  return translateItems(node.items, dialect, name);
}

const translateItems = (items: readonly Node[], dialect: Dialect, inside: string): NewNode[] =>
  items.flatMap((item) => {
    const translated = translate(item, dialect, inside);
    return translated === undefined ? [] : [translated];
  });

/** KiCad 6 numbers the fields. */
function fieldNode(list: List, dialect: Dialect, id: number): NewNode {
  const items = translateItems(list.items, dialect, "property").filter(
    (item) => !(Array.isArray(item) && item[0] === "id"),
  );
  return dialect === 6 ? [...items.slice(0, 3), ["id", id], ...items.slice(3)] : items;
}

/** A library's symbol as `lib_symbols` has it: whole, with its library's name, in the words of the schematic's KiCad. */
function definitionNode(symbol: LibrarySymbol, libId: string, dialect: Dialect): NewNode {
  const { body, fields } = symbol;
  const ownName = libId.slice(libId.indexOf(":") + 1);
  const parts = new Set(["property", "symbol", "extends"]);
  const settings = body.items.slice(2).filter((item) => !parts.has(nameOf(item) ?? ""));
  const drawn = children(body, "symbol").map((part): NewNode => {
    const suffix = (textAt(part, 1) ?? "").split("_").slice(-2).join("_");
    return ["symbol", quoted(`${ownName}_${suffix}`), ...translateItems(part.items.slice(2), dialect, "symbol")];
  });
  const isHere = (name: string) => children(body, name).length > 0;
  return [
    "symbol",
    quoted(libId),
    ...translateItems(settings, dialect, "symbol"),
    ...(isHere("in_bom") ? [] : [["in_bom", "yes"]]),
    ...(isHere("on_board") ? [] : [["on_board", "yes"]]),
    ...fields.map((field, id) => fieldNode(field.node, dialect, id)),
    ...drawn,
  ];
}

/** Puts a definition into the file, unless one of that name is there. */
export function addDefinition(schematic: Schematic, symbol: LibrarySymbol, libId: string, dialect: Dialect): Splice[] {
  const { definitions, root, text } = schematic;
  if (definitions.has(libId)) return [];
  const layout = layoutOf(text, root);
  const node = definitionNode(symbol, libId, dialect);
  const list = child(root, "lib_symbols");
  if (list !== undefined) {
    const place = list.items.at(-1)?.end ?? list.end - 1;
    const end = list.items.length > 1 ? "" : layout.newline + layout.step;
    const written = layout.newline + layout.step.repeat(2) + writeNode(node, layout, 2);
    return [{ start: place, end: place, text: written + end }];
  }
  const before = child(root, "title_block") ?? child(root, "paper") ?? child(root, "uuid") ?? child(root, "version");
  const place = before?.end ?? root.items[0]?.end ?? root.start + 1;
  const written = writeNode(["lib_symbols", node], layout, 1);
  return [{ start: place, end: place, text: layout.newline + layout.step + written }];
}
