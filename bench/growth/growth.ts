import { BenchFault } from "../harness/fault.ts";
import { spreadOf } from "../harness/figures.ts";
import type { Session } from "../harness/session.ts";
import type { Verdict } from "../harness/target.ts";
import type { Bar, Curve, Unit } from "./curve.ts";
import { exponentAtTheEnd, exponentOf } from "./exponent.ts";
import { keepPlot } from "./keep-plot.ts";

/** What each size costs: a name and its unit, and how it may grow. */
export type Costs = Readonly<Record<string, { unit: Unit; bar: Bar }>>;

/** Repeated measurements of each cost, by its name. */
export type Measured<Of extends Costs> = Readonly<Record<keyof Of, readonly number[]>>;

export type Growth<Of extends Costs> = {
  name: string;
  title: string;
  /** What there are more and more of. */
  things: string;
  /** From small to large, each several times the one before. */
  sizes: readonly number[];
  costs: Of;
  /** How it was filled, for the docs. */
  filled: string;
  measure(size: number): Promise<Measured<Of>>;
};

/** Two sizes show only that a bench works. */
const QUICK_SIZES = 2;
/** From small to large, back, and again: a machine that is faster for a while is so for several sizes. */
const ROUNDS = 3;
/** 300 times as many then cost at most 2.4 times as much. */
const MAX_FLAT = 0.15;
/** The rest is noise: with sizes that are three times the one before, 0.15 is 18 % of the cost. */
const MAX_LINEAR = 1.15;

/** A case of this bench: measures each size, and judges how each cost grows. */
export const growthCase =
  <Of extends Costs>(growth: Growth<Of>) =>
  (session: Session): Promise<void> =>
    measureGrowth(session, growth);

async function measureGrowth<Of extends Costs>(session: Session, growth: Growth<Of>): Promise<void> {
  const { title, things, costs } = growth;
  const sizes = sizesFor(session, growth.sizes);
  const measured: { size: number; costs: Measured<Of> }[] = [];
  for (let round = 0; round < (session.quick ? 1 : ROUNDS); round += 1) {
    for (const size of round % 2 === 0 ? sizes : sizes.toReversed()) {
      session.signal.throwIfAborted();
      session.progress(`${title}: ${written(size)} ${things}, round ${round + 1}`);
      measured.push({ size, costs: await growth.measure(size) });
    }
  }
  const curves = Object.entries(costs).map(([name, { unit, bar }]): Curve => {
    const points = sizes.map((size) => {
      const figures = measured.flatMap((each) => (each.size === size ? (each.costs[name] ?? []) : []));
      return { size, cost: spreadOf(figures).median };
    });
    const wrong = points.find(({ cost }) => !(cost > 0));
    if (wrong) throw new BenchFault(`${title}: ${name} with ${wrong.size} ${things} is ${wrong.cost}.`);
    return { name, unit, bar, points };
  });
  const table = tableOf(things, sizes, curves);
  session.say([title, ...table.map((line) => `  ${line}`)], curves.map(judge));
  if (!session.quick && session.upTo === undefined) keepPlot({ ...growth, curves, table });
}

function sizesFor({ quick, upTo = Number.POSITIVE_INFINITY }: Session, all: readonly number[]): readonly number[] {
  const sizes = quick ? all.slice(0, QUICK_SIZES) : all.filter((size) => size <= upTo);
  if (sizes.length >= QUICK_SIZES) return sizes;
  throw new BenchFault(`A curve needs two sizes. There are: ${all.join(", ")}.`);
}

function judge({ name, bar, points }: Curve): Verdict {
  const exponent = bar === "flat" ? exponentOf(points) : exponentAtTheEnd(points);
  const max = bar === "flat" ? MAX_FLAT : MAX_LINEAR;
  const holds = exponent <= max;
  const where = bar === "flat" ? "" : " between the two largest";
  const sentence = `target ${holds ? "holds" : "missed"}: ${name} grows with the power of at most ${max}${where}; it is ${exponent.toFixed(2)}`;
  return { sentence, holds, isStretch: false };
}

/** As in Markdown. */
function tableOf(things: string, sizes: readonly number[], curves: readonly Curve[]): string[] {
  return [
    `| ${things} | ${sizes.map(written).join(" | ")} | exponent | at the end | should be |`,
    `|---|${"---|".repeat(sizes.length + 3)}`,
    ...curves.map(({ name, unit, bar, points }) => {
      const figures = points.map(({ cost }) => figure(cost)).join(" | ");
      const exponents = [exponentOf(points), exponentAtTheEnd(points)].map((one) => one.toFixed(2)).join(" | ");
      return `| ${name}, ${unit} | ${figures} | ${exponents} | ${bar} |`;
    }),
  ];
}

const written = (size: number): string => size.toLocaleString("en");
const figure = (cost: number): string => (cost >= 100 ? written(Math.round(cost)) : cost.toPrecision(2));
