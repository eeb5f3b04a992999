import { child, children, type List, numberIn, textAt, textOf } from "../sexpr/index.ts";
import { fieldText, readField } from "./fields.ts";
import { type Mirror, symbolTransform, type Transform, transformPoint } from "./geometry.ts";
import type { PlacedPin, PlacedSymbol, SymbolInstance } from "./items.ts";
import type { LibraryPart, LibraryPin, LibrarySymbol } from "./library.ts";
import { readAngle, readPoint } from "./shapes.ts";

const readMirror = (node: List): Mirror | undefined => {
  const mirror = textOf(node, "mirror");
  return mirror === "x" || mirror === "y" ? mirror : undefined;
};

export function readSymbol(node: List, definitions: ReadonlyMap<string, LibrarySymbol>): PlacedSymbol {
  const [at, angle, mirror] = [readPoint(child(node, "at")), readAngle(node), readMirror(node)];
  const [libId, libName] = [textOf(node, "lib_id") ?? "", textOf(node, "lib_name")];
  const unit = numberIn(child(node, "unit"), 0, 1);
  const bodyStyle = numberIn(child(node, "convert") ?? child(node, "body_style"), 0, 1);
  const library = definitions.get(libName ?? libId);
  const parts = partsOf(library, unit, bodyStyle);
  const transform = symbolTransform(at, angle, mirror);
  return {
    kind: "symbol",
    node,
    uuid: textOf(node, "uuid") ?? "",
    libId,
    libName,
    at,
    angle,
    mirror,
    unit,
    bodyStyle,
    inBom: textOf(node, "in_bom") !== "no",
    onBoard: textOf(node, "on_board") !== "no",
    doNotPopulate: textOf(node, "dnp") === "yes",
    excludedFromSimulation: textOf(node, "exclude_from_sim") === "yes",
    fields: children(node, "property").map(readField),
    instances: readInstances(node),
    library,
    parts,
    pins: placePins(node, parts, transform),
    transform,
  };
}

/** The parts of a definition that are drawn for a unit and a body style. */
export const partsOf = (library: LibrarySymbol | undefined, unit: number, bodyStyle: number): LibraryPart[] =>
  (library?.parts ?? []).filter(
    (part) => (part.unit === 0 || part.unit === unit) && (part.bodyStyle === 0 || part.bodyStyle === bodyStyle),
  );

export function placePins(node: List, parts: readonly LibraryPart[], transform: Transform): PlacedPin[] {
  const alternates = new Map<string, string>();
  for (const list of children(node, "pin")) {
    const alternate = textOf(list, "alternate");
    if (alternate !== undefined) alternates.set(textAt(list, 1) ?? "", alternate);
  }
  return parts.flatMap((part) => part.pins.map((pin) => placePin(pin, alternates.get(pin.number), transform)));
}

/** A pin of a definition, as it stands on the sheet. */
export function placePin(pin: LibraryPin, alternateName: string | undefined, transform: Transform): PlacedPin {
  const { name, type, shape } = pin.alternates.find((alternate) => alternate.name === alternateName) ?? pin;
  return {
    pin,
    number: pin.number,
    name,
    type,
    shape,
    at: transformPoint(transform, pin.at),
    inner: transformPoint(transform, pin.inner),
    hidden: pin.hidden,
  };
}

function readInstances(node: List): SymbolInstance[] {
  return children(child(node, "instances"), "project").flatMap((project) =>
    children(project, "path").map((path) => ({
      project: textAt(project, 1) ?? "",
      path: textAt(path, 1) ?? "",
      reference: textOf(path, "reference") ?? "",
      unit: numberIn(child(path, "unit"), 0, 1),
      node: path,
    })),
  );
}

/** The reference as the sheet itself shows it. Where a sheet is used more than once, ask its instance: `referenceOf`. */
export const referenceShown = (symbol: PlacedSymbol): string => fieldText(symbol.fields, "Reference") ?? "";

export const valueShown = (symbol: PlacedSymbol): string => fieldText(symbol.fields, "Value") ?? "";
