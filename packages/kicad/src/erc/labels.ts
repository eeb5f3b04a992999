import { busMembers, isBusName, type Nets, readableNetName } from "../nets/index.ts";
import { type Design, itemsOf, type Label, type SheetInstance, samePlace } from "../schematic/index.ts";
import { type Finding, finding } from "./findings.ts";
import type { Touching } from "./touching.ts";

const place = (sheet: SheetInstance, label: Label) => ({ sheet, at: label.at, items: [label] });

/** Labels: on something, with names that are not mistaken for others, on wires or buses as their names say. */
export function checkLabels(design: Design, nets: Nets, touching: readonly Touching[]): Finding[] {
  const findings = design.sheets.flatMap((sheet, at) => {
    const around = touching[at];
    const labels = itemsOf(sheet.schematic, "label").filter(({ scope }) => scope !== "directive");
    return around === undefined ? [] : labels.flatMap((label) => checkLabel(sheet, label, nets, around));
  });
  return [...findings, ...checkSimilar(design), ...checkNames(nets), ...checkEntries(design, nets, touching)];
}

function checkLabel(sheet: SheetInstance, label: Label, nets: Nets, around: Touching): Finding[] {
  const [wires, buses] = [around.wiresThrough(label.at), around.busesThrough(label.at)];
  const others = around
    .at(label.at)
    .filter((item) => item !== label && item.kind !== "label" && item.kind !== "no_connect");
  const isBus = isBusName(label.text);
  if (isBus && buses.length === 0 && wires.length > 0) {
    return [finding("bus_to_net_conflict", `${label.text} names a bus and is on a wire.`, place(sheet, label))];
  }
  if (!isBus && wires.length === 0 && buses.length > 0) {
    return [finding("bus_to_net_conflict", `${label.text} names a single net and is on a bus.`, place(sheet, label))];
  }
  const touches = others.length > 0 || wires.length > 0 || buses.length > 0;
  const net = isBus ? undefined : nets.at(sheet, label.at);
  if (!touches || (net !== undefined && net.pins.length + net.sheetPins.length === 0)) {
    const rule = label.scope === "global" ? "global_label_dangling" : "label_dangling";
    return [finding(rule, `Label ${label.text} is connected to nothing.`, place(sheet, label))];
  }
  const inside = wires.filter((wire) => !samePlace(wire.start, label.at) && !samePlace(wire.end, label.at));
  const joined = others.some(({ kind }) => kind === "junction");
  if (wires.length < 2 || inside.length === 0 || joined) return [];
  return [finding("label_multiple_wires", `Label ${label.text} connects more than one wire.`, place(sheet, label))];
}

/** Names that differ by case alone, and names that are local here and global elsewhere. */
function checkSimilar(design: Design): Finding[] {
  const spellings = new Map<string, string>();
  const globals = new Set<string>();
  const all = design.sheets.flatMap((sheet) =>
    itemsOf(sheet.schematic, "label").flatMap((label) => (label.scope === "directive" ? [] : [{ sheet, label }])),
  );
  for (const { label } of all) if (label.scope === "global") globals.add(label.text);
  const findings: Finding[] = [];
  for (const { sheet, label } of all) {
    const scope = label.scope === "global" ? "" : sheet.path;
    const key = `${scope} ${label.text.toLowerCase()}`;
    const known = spellings.get(key);
    if (known === undefined) spellings.set(key, label.text);
    else if (known !== label.text) {
      findings.push(
        finding(
          "similar_labels",
          `${label.text} and ${known} differ only in upper and lower case.`,
          place(sheet, label),
        ),
      );
    }
    if (label.scope === "local" && globals.has(label.text)) {
      const message = `${label.text} is a local label here and a global one elsewhere; they are not connected.`;
      findings.push(finding("same_local_global_label", message, place(sheet, label)));
    }
  }
  return findings;
}

/** Two names for one net on one sheet: the net has only one of them. */
function checkNames({ nets }: Nets): Finding[] {
  return nets.flatMap((net) => {
    const names = new Map<SheetInstance, string>();
    const findings: Finding[] = [];
    for (const { sheet, label } of net.labels) {
      if (label.scope === "hierarchical") continue;
      const first = names.get(sheet);
      if (first === undefined) names.set(sheet, label.text);
      else if (first !== label.text && findings.length === 0) {
        const message = `${first} and ${label.text} are names of one net, which is called ${readableNetName(net.name)}.`;
        findings.push(finding("multiple_net_names", message, place(sheet, label)));
      }
    }
    return findings;
  });
}

/** A wire that leaves a bus must have the name of one of its members. */
function checkEntries(design: Design, nets: Nets, touching: readonly Touching[]): Finding[] {
  const { aliases, busLabelsAt } = nets;
  return design.sheets.flatMap((sheet, at) =>
    itemsOf(sheet.schematic, "bus_entry").flatMap((entry) => {
      const around = touching[at];
      if (around === undefined) return [];
      const onBus = [entry.at, entry.end].filter((end) => around.busesThrough(end).length > 0);
      const [busEnd] = onBus;
      if (busEnd === undefined || onBus.length === 2) return [];
      const wireEnd = samePlace(busEnd, entry.at) ? entry.end : entry.at;
      const labels = nets.at(sheet, wireEnd)?.labels.filter((one) => one.sheet === sheet) ?? [];
      const members = new Set(
        busLabelsAt(sheet, busEnd).flatMap((text) => busMembers(text, aliases).map(({ name }) => name)),
      );
      if (labels.length === 0 || members.size === 0 || labels.some(({ label }) => members.has(label.text))) return [];
      const message = `${labels[0]?.label.text} leaves a bus that has no member of this name.`;
      return [finding("net_not_bus_member", message, { sheet, at: wireEnd, items: [entry] })];
    }),
  );
}
