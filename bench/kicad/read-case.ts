import { basename } from "node:path";
import { parseKicadSch } from "kicadts";
import { readSchematic } from "../../packages/kicad/src/schematic/index.ts";
import { applySplices, nameOf, readTree } from "../../packages/kicad/src/sexpr/index.ts";
import { compareFunctions } from "../harness/compare-functions.ts";
import { BenchFault } from "../harness/fault.ts";
import type { Session } from "../harness/session.ts";
import { demosHere, readDemo } from "./demos.ts";
import { MAX_READ_SHARE } from "./limits.ts";
import { manyItems } from "./many-items.ts";

const SHEETS = [
  "stickhub/StickHub.kicad_sch",
  "video/bus_pci.kicad_sch",
  "pic_programmer/pic_programmer.kicad_sch",
  "complex_hierarchy/ampli_ht.kicad_sch",
  "custom_pads_test/custom_pads_test.kicad_sch",
];
const OWN_ITEMS = 2_000;
/** kicadts refuses sheets with these, or with several of them. Both get the sheet without them. */
const REFUSED = new Set(["bus", "bus_entry", "bus_alias", "hierarchical_label", "sheet", "symbol_instances"]);
const [OURS, KICADTS] = ["readSchematic", "kicadts"];

/** Reading a schematic for its meaning, compared with kicadts on the same text. */
export async function read(session: Session): Promise<void> {
  const sheets = demosHere(session, SHEETS).map((path) => ({ name: basename(path), text: readDemo(path) }));
  for (const { name, text } of [...sheets, { name: `${OWN_ITEMS} items of our own`, text: manyItems(OWN_ITEMS) }]) {
    const common = withoutRefused(text);
    const share =
      common.length === text.length ? "whole" : `${Math.floor((100 * common.length) / text.length)} % of it`;
    const items = readSchematic(common).items.length;
    await compareFunctions(session, {
      title: `KiCad, read ${name}`,
      description: `${Math.round(common.length / 1_000)} kB, ${share}, ${items} items`,
      unit: "reads",
      operationsPerBatch: 1,
      ours: {
        label: OURS,
        batch: async () => {
          if (readSchematic(common).items.length !== items) throw new BenchFault(`${name}: items are missing.`);
        },
      },
      peers: [
        {
          label: KICADTS,
          batch: async () => {
            if (parseKicadSch(common).symbols.length === 0) throw new BenchFault(`${name}: kicadts found no symbol.`);
          },
        },
      ],
      targets: [{ measure: "per CPU-s", peer: KICADTS, atLeast: 1 / MAX_READ_SHARE }],
    });
  }
}

function withoutRefused(text: string): string {
  const refused = readTree(text).items.filter((node) => REFUSED.has(nameOf(node) ?? ""));
  const rest = applySplices(
    text,
    refused.map(({ start, end }) => ({ start, end, text: "" })),
  );
  // One piece, as a text from a file is: V8 reads a text that was put together from pieces more slowly.
  return Buffer.from(rest).toString();
}
