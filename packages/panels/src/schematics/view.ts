import { SCHEMATIC_LIMITS, type SchematicView } from "@backplane/contract/panels";
import { checkDesign } from "@backplane/kicad/erc";
import { readableNetName, readNets } from "@backplane/kicad/nets";
import { type Design, fieldIn, itemsOf, pinsOf, readOnlyReason, referenceOf } from "@backplane/kicad/schematic";

const { maxListed } = SCHEMATIC_LIMITS;

/** What a program sees of a design. */
export function viewOf(path: string, etag: string, design: Design): SchematicView {
  const nets = readNets(design);
  const symbols = design.sheets.flatMap((sheet) =>
    itemsOf(sheet.schematic, "symbol").map((symbol) => ({
      uuid: symbol.uuid,
      reference: referenceOf(symbol, sheet),
      value: fieldIn(symbol, sheet, "Value"),
      libId: symbol.libId,
      ...{ sheet: sheet.name, file: sheet.file, xMm: symbol.at.x, yMm: symbol.at.y },
      pins: pinsOf(symbol, sheet).map(({ number, name, type, at }) => ({
        ...{ number, name, type, xMm: at.x, yMm: at.y },
        net: readableNetName(nets.at(sheet, at)?.name ?? ""),
      })),
    })),
  );
  const connected = nets.nets.flatMap(({ name, pins }) => {
    const named = pins.filter(({ reference }) => !reference.startsWith("#"));
    return named.length === 0
      ? []
      : [{ name: readableNetName(name), pins: named.map(({ reference, pin }) => `${reference}.${pin.number}`) }];
  });
  const findings = checkDesign(design, nets).map(({ rule, severity, message, sheet, at }) => ({
    ...{ rule, severity, message, sheet: sheet.name, file: sheet.file, xMm: at.x, yMm: at.y },
  }));
  return {
    ...{ path, etag, readOnly: readOnlyReason(design.sheets[0]?.schematic.version ?? 0) ?? null },
    sheets: design.sheets.map(({ name, file }) => ({ name, file })),
    ...{ symbols: symbols.slice(0, maxListed), nets: connected.slice(0, maxListed) },
    findings: findings.slice(0, maxListed),
    truncated: [symbols, connected, findings].some((list) => list.length > maxListed),
  };
}
