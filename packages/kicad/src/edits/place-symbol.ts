import {
  type LibrarySymbol,
  type Mirror,
  type Point,
  partsOf,
  type Schematic,
  symbolTransform,
  transformPoint,
} from "../schematic/index.ts";
import { child, quoted, type Splice } from "../sexpr/index.ts";
import { addDefinition } from "./definitions.ts";
import { type NewField, type NewInstance, newSymbol } from "./new-items.ts";
import { appendTo, insertItems, writerFor } from "./text.ts";

export interface Placement {
  /** The library's name and the symbol's: `Device:R`. */
  readonly libId: string;
  readonly at: Point;
  readonly angle?: number;
  readonly mirror?: Mirror;
  readonly unit?: number;
  /** `R12`, or `R?` until annotation. */
  readonly reference: string;
  /** That of the definition unless told. */
  readonly value?: string;
  /** Where the sheet is used: the path of each of its instances. */
  readonly uses: readonly { readonly project: string; readonly path: string }[];
}

/** Places a symbol of a library, and takes its definition into the file. */
export function placeSymbol(
  schematic: Schematic,
  symbol: LibrarySymbol,
  placement: Placement,
  newUuid: () => string,
): Splice[] {
  const writer = writerFor(schematic, newUuid);
  const { libId, at, angle = 0, mirror, unit = 1, reference, uses } = placement;
  const transform = symbolTransform(at, angle, mirror);
  const hiddenFields = new Set(["ki_keywords", "ki_description", "ki_fp_filters", "ki_locked"]);
  const fields = symbol.fields
    .filter(({ name }) => !hiddenFields.has(name))
    .map((field): NewField => {
      const text =
        field.name === "Reference" ? reference : field.name === "Value" ? (placement.value ?? field.text) : field.text;
      const { horizontal, vertical, hidden } = field.effects;
      const justify = [horizontal, vertical].filter((side) => side !== "center");
      return { name: field.name, text, at: transformPoint(transform, field.at), angle: field.angle, hidden, justify };
    });
  const instances: NewInstance[] = uses.map((use) => ({ ...use, reference }));
  const uuid = newUuid();
  const given = { ...writer, newUuid: once(uuid, newUuid) };
  const node = newSymbol(given, {
    libId,
    at,
    angle,
    ...(mirror === undefined ? {} : { mirror }),
    unit,
    fields,
    pinNumbers: partsOf(symbol, unit, 1).flatMap((part) => part.pins.map((pin) => pin.number)),
    instances,
    inBom: symbol.inBom,
    onBoard: symbol.onBoard,
  });
  const definition = addDefinition(schematic, symbol, libId, writer.dialect);
  return [...definition, ...insertItems(schematic, [node]), ...rootInstance(schematic, uuid, placement)];
}

/** The first uuid is known beforehand: KiCad 6 writes it a second time. */
function once(first: string, then: () => string): () => string {
  let used = false;
  return () => {
    if (used) return then();
    used = true;
    return first;
  };
}

/** KiCad 6 keeps references in the root file. */
function rootInstance(schematic: Schematic, uuid: string, { reference, unit = 1, value = "" }: Placement): Splice[] {
  const list = child(schematic.root, "symbol_instances");
  if (list === undefined) return [];
  const node = [
    "path",
    quoted(`/${uuid}`),
    ["reference", quoted(reference)],
    ["unit", unit],
    ["value", quoted(value)],
    ["footprint", quoted("")],
  ];
  return [appendTo(schematic, list, node, 1)];
}
