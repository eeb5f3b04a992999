import { noise, rounded, type SimulatedKind, timed } from "../simulator.ts";

type Point = readonly [x: number, y: number];
type Wall = readonly [from: Point, to: Point];

const ANCHORS = [
  { id: "D41C", x_m: 0.2, y_m: 0.2, z_m: 2.4 },
  { id: "D0A7", x_m: 11.8, y_m: 0.3, z_m: 2.4 },
  { id: "9B12", x_m: 11.7, y_m: 7.7, z_m: 2.4 },
  { id: "C2F0", x_m: 0.3, y_m: 7.6, z_m: 2.4 },
  { id: "5E88", x_m: 6.1, y_m: 7.8, z_m: 2.4 },
] as const;
const WALLS: readonly Wall[] = [
  [
    [3.2, 8],
    [3.2, 5.6],
  ],
  [
    [3.2, 5.6],
    [5.1, 5.6],
  ],
];
const TAG_Z_M = 0.4;
const DEVIATION_M = 0.02;
/** What a wall adds to a range, and takes from its strength. */
const WALL_M = 0.36;
const WALL_DB = 14;
const LAP_S = 60;
/** Anchors also measure each other, and say where they are, once per so many samples. */
const ANCHORS_EVERY = 10;
/** The gateway believes blocked ranges, too. */
const GATEWAY_PULL = 0.3;

const side = ([ax, ay]: Point, [bx, by]: Point, [px, py]: Point): number =>
  (bx - ax) * (py - ay) - (by - ay) * (px - ax);

const crosses = (a: Point, b: Point, [c, d]: Wall): boolean =>
  side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;

const isBlocked = (a: Point, b: Point): boolean => WALLS.some((wall) => crosses(a, b, wall));

const placeAt = (atS: number): Point => {
  const t = (2 * Math.PI * atS) / LAP_S;
  return [6 + 4.2 * Math.cos(t) + 0.6 * Math.cos(3 * t), 3.2 + 2.2 * Math.sin(t)];
};

export const ultraWideband: SimulatedKind = {
  kind: "ultra-wideband",
  name: "UWB tag",
  model: "DWM1001",
  description: "A tag among five anchors, with a wall in the way of some",
  nodes: {
    tag: {
      ...{ name: "Tag 07", kind: "ultra-wideband", rateHz: 10 },
      fields: {
        x_m: { unit: "m" },
        y_m: { unit: "m" },
        z_m: { unit: "m" },
        quality: { min: 0, max: 100 },
        ranges: { type: "array" },
        anchors: { type: "array" },
        anchor_ranges: { type: "array" },
      },
    },
  },
  create(random) {
    let count = 0;
    const between = ANCHORS.flatMap((a, i) =>
      ANCHORS.slice(i + 1).map((b) => ({
        ...{ a: a.id, b: b.id },
        distance_m: rounded(Math.hypot(a.x_m - b.x_m, a.y_m - b.y_m) + noise(random, DEVIATION_M), 3),
      })),
    );
    return timed((atS) => {
      const place = placeAt(atS);
      const ranges = ANCHORS.map(({ id, x_m, y_m, z_m }) => {
        const truth = Math.hypot(place[0] - x_m, place[1] - y_m, TAG_Z_M - z_m);
        const isBehind = isBlocked(place, [x_m, y_m]);
        return {
          anchor: id,
          distance_m: rounded(truth + (isBehind ? WALL_M + noise(random, 0.05) : 0) + noise(random, DEVIATION_M), 3),
          rssi_dbm: rounded(-62 - 20 * Math.log10(truth) - (isBehind ? WALL_DB : 0) + noise(random, 0.8), 1),
        };
      });
      const blocked = ANCHORS.filter(({ x_m, y_m }) => isBlocked(place, [x_m, y_m]));
      const pull = blocked.length > 0 ? GATEWAY_PULL * WALL_M : 0;
      const first = count % ANCHORS_EVERY === 0;
      count += 1;
      return {
        x_m: rounded(place[0] + pull + noise(random, 0.02), 3),
        y_m: rounded(place[1] - pull + noise(random, 0.02), 3),
        z_m: TAG_Z_M,
        quality: Math.round(92 - 25 * blocked.length + noise(random, 2)),
        ranges,
        anchors: first ? ANCHORS.map((anchor) => ({ ...anchor })) : null,
        anchor_ranges: first ? between : null,
      };
    });
  },
};
