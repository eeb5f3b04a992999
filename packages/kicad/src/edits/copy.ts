import { type Item, type Point, readSchematic, type Schematic } from "../schematic/index.ts";
import {
  applySplices,
  atomAt,
  child,
  children,
  isList,
  type List,
  type NewNode,
  type Node,
  nameOf,
  quoted,
  type Splice,
} from "../sexpr/index.ts";
import { addDefinition } from "./definitions.ts";
import { moveItems } from "./move.ts";
import { EditFault, insertItems, writerFor } from "./text.ts";

/** Items as text for another sheet: a schematic of its own, with the definitions that its symbols need. */
export function copyItems(schematic: Schematic, items: readonly Item[]): string {
  const slice = (node: List) => schematic.text.slice(node.start, node.end);
  const needed = new Set(items.flatMap((item) => (item.kind === "symbol" ? [item.libName ?? item.libId] : [])));
  const definitions = [...needed].flatMap((name) => schematic.definitions.get(name)?.node ?? []);
  const lists = [`(lib_symbols ${definitions.map(slice).join("\n")})`, ...items.map(({ node }) => slice(node))];
  return `(kicad_sch (version ${schematic.version}) (generator backplane)\n${lists.join("\n")}\n)\n`;
}

/**
 * Copied items into a sheet, moved by `delta`. They get uuids of their own; symbols get their prefix and `?` as reference in
 * every use of the sheet, until annotation.
 */
export function pasteItems(
  schematic: Schematic,
  copied: string,
  delta: Point,
  { newUuid, uses }: { newUuid: () => string; uses: readonly { readonly project: string; readonly path: string }[] },
): Splice[] {
  const writer = writerFor(schematic, newUuid);
  const source = readSchematic(copied);
  if (source.version > schematic.version) throw new EditFault("What was copied is of a newer KiCad than this file.");
  const placed = readSchematic(
    applySplices(copied, moveItems(source, source.items, delta, { wires: "stay", newUuid })),
  );
  const definitions = [...placed.definitions].flatMap(([name, symbol]) =>
    addDefinition(schematic, symbol, name, writer.dialect),
  );
  const nodes = placed.items.map(({ node }) => renew(node, { newUuid, uses, quoteUuid: writer.dialect >= 8 }));
  return [...mergeInsertions(definitions), ...insertItems(schematic, nodes)];
}

/** Several definitions go to one place: in one splice their order is kept. */
function mergeInsertions(splices: readonly Splice[]): Splice[] {
  const [first] = splices;
  if (first === undefined) return [];
  return [{ ...first, text: splices.map(({ text }) => text).join("") }];
}

interface Renewal {
  readonly newUuid: () => string;
  readonly uses: readonly { readonly project: string; readonly path: string }[];
  readonly quoteUuid: boolean;
}

function renew(node: Node, renewal: Renewal): NewNode {
  if (!isList(node)) return node.kind === "string" ? quoted(node.value) : node.value;
  const name = nameOf(node);
  if (name === "uuid") return ["uuid", renewal.quoteUuid ? quoted(renewal.newUuid()) : renewal.newUuid()];
  if (name === "property" && atomAt(node, 1)?.value === "Reference") {
    const rest = node.items.slice(3).map((item) => renew(item, renewal));
    return ["property", quoted("Reference"), quoted(openReference(atomAt(node, 2)?.value ?? "")), ...rest];
  }
  if (name === "instances") return renewInstances(node, renewal);
  return node.items.map((item) => renew(item, renewal));
}

const openReference = (reference: string): string => `${reference.replace(/[0-9?]{1,9}$/, "")}?`;

function renewInstances(node: List, { uses }: Renewal): NewNode {
  const path = children(children(node, "project")[0], "path")[0];
  const reference = openReference(atomAt(child(path, "reference"), 1)?.value ?? "");
  const unit = atomAt(child(path, "unit"), 1)?.value;
  const page = atomAt(child(path, "page"), 1)?.value;
  const told: NewNode[] =
    unit === undefined
      ? [["page", quoted(page ?? "")]]
      : [
          ["reference", quoted(reference)],
          ["unit", unit],
        ];
  return [
    "instances",
    ...uses.map((use): NewNode => ["project", quoted(use.project), ["path", quoted(use.path), ...told]]),
  ];
}
