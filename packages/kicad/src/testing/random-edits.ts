import {
  addBusEntry,
  addJunction,
  addLabel,
  addNoConnect,
  addText,
  connectionPoints,
  copyItems,
  drawBus,
  drawWire,
  EditFault,
  moveItems,
  pasteItems,
  removeItems,
  rightAngled,
  setField,
  type Turn,
  turnItems,
} from "../edits/index.ts";
import { readNets } from "../nets/index.ts";
import { LineIndex } from "../nets/line-index.ts";
import {
  type Item,
  isOnLine,
  itemsOf,
  type Point,
  readDesign,
  readSchematic,
  round,
  type Schematic,
  samePlace,
} from "../schematic/index.ts";
import type { Splice } from "../sexpr/index.ts";
import type { createRandom } from "./random.ts";

type Random = ReturnType<typeof createRandom>;
const STEP = 1.27;

const anyPlace = (random: Random): Point => ({
  x: round(random.below(150) * STEP),
  y: round(random.below(120) * STEP),
});
const anyDelta = (random: Random): Point => ({
  x: round((random.below(41) - 20) * STEP),
  y: round((random.below(41) - 20) * STEP),
});
const some = (random: Random, schematic: Schematic): Item[] =>
  schematic.items.length === 0 ? [] : Array.from({ length: 1 + random.below(3) }, () => random.pick(schematic.items));

/** One edit of any kind, at any place. */
export function randomEdit(schematic: Schematic, random: Random, newUuid: () => string): Splice[] {
  const uses = [{ project: "test", path: `/${schematic.uuid}` }];
  const edits: (() => Splice[])[] = [
    () =>
      drawWire(schematic, rightAngled(anyPlace(random), { x: 1, y: 1 }, random.pick(["across", "upright"])), newUuid),
    () => drawBus(schematic, rightAngled(anyPlace(random), { x: 3, y: 1 }), newUuid),
    () =>
      addLabel(
        schematic,
        {
          scope: random.pick(["local", "global", "hierarchical"]),
          text: `N${random.below(9)}`,
          at: anyPlace(random),
          angle: 90 * random.below(4),
        },
        newUuid,
      ),
    () => addNoConnect(schematic, anyPlace(random), newUuid),
    () => addJunction(schematic, anyPlace(random), newUuid),
    () => addText(schematic, 'a "text"\nof two lines', anyPlace(random), newUuid),
    () => addBusEntry(schematic, anyPlace(random), { x: 2.54, y: -2.54 }, newUuid),
    () =>
      moveItems(schematic, some(random, schematic), anyDelta(random), {
        wires: random.pick(["follow", "stay"]),
        newUuid,
      }),
    () =>
      turnItems(schematic, some(random, schematic), anyPlace(random), random.pick<Turn>(["left", "right", "x", "y"])),
    () => removeItems(schematic, some(random, schematic).slice(0, 1)),
    () =>
      pasteItems(schematic, copyItems(schematic, [...new Set(some(random, schematic))]), anyDelta(random), {
        newUuid,
        uses,
      }),
    () => {
      const symbols = itemsOf(schematic, "symbol");
      return symbols.length === 0
        ? []
        : setField(schematic, random.pick(symbols), random.pick(["Note", "Datasheet"]), `v${random.below(99)}`);
    },
  ];
  return random.pick(edits)();
}

/** Which pins and labels are connected, by uuids, so that it can be compared before and after. */
export function partition(schematic: Schematic): string {
  const design = readDesign("x.kicad_sch", (name) => (name === "x.kicad_sch" ? schematic.text : undefined));
  return readNets(design)
    .nets.map(({ pins, labels, sheetPins }) =>
      [
        ...pins.map(({ symbol, pin }) => `${symbol.uuid}.${pin.number}`),
        ...labels.map(({ label }) => label.uuid),
        ...sheetPins.map(({ pin }) => pin.uuid),
      ]
        .sort()
        .join(" "),
    )
    .filter((net) => net !== "")
    .sort()
    .join("\n");
}

/** How many lines lie on others, which KiCad would make one of. */
export const overlaps = (schematic: Schematic): number =>
  (["wire", "bus"] as const)
    .map((kind) => [...new LineIndex(itemsOf(schematic, kind)).overlapping()].length)
    .reduce((sum, count) => sum + count);

/** Whether items moved by `delta` would land on something that stays, which connects them by itself. */
function landsOnOthers(schematic: Schematic, items: readonly Item[], delta: Point): boolean {
  const rest = schematic.items.filter((item) => !items.includes(item));
  const points = rest.flatMap(connectionPoints);
  const shifted = (point: Point): Point => ({ x: round(point.x + delta.x), y: round(point.y + delta.y) });
  return items.some((item) => {
    const landing = connectionPoints(item).map(({ at }) => shifted(at));
    const onRest = landing.some(
      (at) =>
        points.some((point) => samePlace(point.at, at)) ||
        rest.some((other) => (other.kind === "wire" || other.kind === "bus") && isOnLine(at, other.start, other.end)),
    );
    const isLine = item.kind === "wire" || item.kind === "bus";
    return onRest || (isLine && points.some(({ at }) => isOnLine(at, shifted(item.start), shifted(item.end))));
  });
}

/** Moves with wires, at random. Returns how many were compared; throws the text of the first that changed a net. */
export function moveAndCompare(
  text: string,
  times: number,
  random: Random,
  newUuid: () => string,
  apply: (splices: Splice[]) => string,
): number {
  const schematic = readSchematic(text);
  const before = partition(schematic);
  let compared = 0;
  for (let time = 0; time < times; time++) {
    const items = [...new Set(some(random, schematic))];
    const delta = anyDelta(random);
    if (landsOnOthers(schematic, items, delta)) continue;
    let after: string;
    try {
      after = apply(moveItems(schematic, items, delta, { wires: "follow", newUuid }));
    } catch (fault) {
      // There was no way for a wire that touches nothing.
      if (fault instanceof EditFault) continue;
      throw fault;
    }
    compared++;
    if (overlaps(readSchematic(after)) > overlaps(schematic))
      throw new Error(`Moving ${items.map((item) => item.uuid).join()} by ${delta.x}, ${delta.y} drew lines on lines`);
    if (partition(readSchematic(after)) !== before) {
      const what = items.map((item) => `${item.kind} ${item.uuid}`).join(", ");
      throw new Error(`Moving ${what} by ${delta.x}, ${delta.y} changed the nets`);
    }
  }
  return compared;
}
