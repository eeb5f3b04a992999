import assert from "node:assert/strict";
import { test } from "node:test";
import { drawPlot, plotScales, plotShape, plotStep, readPlotSeries, thinPlotPoints } from "./plot.ts";

const LOOK = { kind: "line", width: 400 } as const;

test("plot reads numbers, points, typed arrays and several of them by name; what is not a number is a gap", () => {
  assert.deepEqual(readPlotSeries([3, 1], undefined), [
    {
      name: "",
      points: [
        [0, 3],
        [1, 1],
      ],
    },
  ]);
  const [volts, amps] = readPlotSeries({ volts: new Float32Array([1.5]), amps: [[10, 2]] }, [7]);
  assert.deepEqual([volts?.name, volts?.points], ["volts", [[7, 1.5]]]);
  assert.deepEqual(amps?.points, [[10, 2]]);
  const gaps = readPlotSeries([null, undefined, "", "x", "4"], undefined)[0]?.points.map(([, y]) => y);
  assert.deepEqual(gaps, [Number.NaN, Number.NaN, Number.NaN, Number.NaN, 4]);
});

test("plot says what it takes when it gets something else", () => {
  for (const data of [undefined, null, 5, "1, 2", {}, { volts: 5 }, [[1, 2, 3]]]) {
    assert.throws(() => readPlotSeries(data, undefined), /^TypeError: plot: give an array of numbers/);
  }
  const nine = Object.fromEntries(Array.from("abcdefghi", (name) => [name, [1]]));
  assert.throws(() => readPlotSeries(nine, undefined), /at most 8 lines/);
});

test("ticks are 1, 2 or 5 times a power of ten, and the axis ends at one", () => {
  const ranges: readonly (readonly [number, number])[] = [
    [0, 10],
    [0, 1],
    [-3, 4],
    [0, 99],
    [0, 4.5e-7],
  ];
  const steps = ranges.map(([low, high]) => Number(plotStep(low, high, 5).toPrecision(6)));
  assert.deepEqual(steps, [2, 0.2, 2, 20, 1e-7]);
  const { yTicks, short } = plotScales(readPlotSeries([-1, 0.3], undefined), LOOK);
  assert.deepEqual(yTicks.map(short), ["−1", "−0.5", "0", "0.5"]);
});

test("one value, no value and equal values have a scale", () => {
  for (const data of [[5], [], [null], [2, 2, 2], [0]]) {
    const { x, y, yTicks } = plotScales(readPlotSeries(data, undefined), LOOK);
    for (const at of [x(0), y(1), y(5)]) assert.ok(Number.isFinite(at), JSON.stringify(data));
    assert.ok(yTicks.length > 1 && yTicks.length < 12, JSON.stringify(data));
  }
});

test("a gap breaks the line; dense data keeps the lowest and highest of every pixel", () => {
  const series = readPlotSeries([1, 2, null, 3], undefined);
  const shape = plotShape(series[0]?.points ?? [], "line", plotScales(series, LOOK), [0, 1]);
  assert.deepEqual(shape.match(/[ML]/g), ["M", "L", "M"]);

  const values = Array.from({ length: 100_000 }, (_, at) => (at === 54_321 ? 9 : Math.sin(at)));
  const many = readPlotSeries(values, undefined);
  const scales = plotScales(many, LOOK);
  const kept = thinPlotPoints(many[0]?.points ?? [], (value) => Math.round(scales.x(value)));
  assert.ok(kept.length <= 2 * LOOK.width);
  assert.ok(
    kept.some(([, y]) => y === 9),
    "a spike is not lost",
  );
  assert.ok(plotShape(many[0]?.points ?? [], "line", scales, [0, 1]).length < 30_000);
});

test("bars stand on zero, side by side", () => {
  const series = readPlotSeries({ a: [1, -2], b: [3, 4] }, undefined);
  const scales = plotScales(series, { ...LOOK, kind: "bars" });
  const base = scales.y(0).toFixed(1);
  for (const [at, { points }] of series.entries()) {
    const shape = plotShape(points, "bars", scales, [at, 2]);
    assert.equal(shape.match(/z/g)?.length, 2);
    assert.ok(shape.includes(` ${base}V`));
  }
});

test("the label of the x axis is below its numbers, where no curve is", () => {
  const texts: { text: string; y: number }[] = [];
  const part = () => {
    const attributes = new Map<string, string>();
    return {
      ...{ clientWidth: 400, isConnected: true, append: () => {}, replaceChildren: () => {} },
      setAttribute: (name: string, value: string) => void attributes.set(name, value),
      get textContent() {
        return null;
      },
      set textContent(text: string | null) {
        texts.push({ text: text ?? "", y: Number(attributes.get("y")) });
      },
    };
  };
  const series = readPlotSeries([1, 2], undefined);
  const look = { ...LOOK, title: "", xLabel: "seconds", yLabel: "", isDark: false };
  drawPlot({ body: part(), createElementNS: part }, series, look);
  const { box, height } = plotScales(series, look);
  const label = texts.find(({ text }) => text === "seconds")?.y ?? 0;
  const numbers = texts.filter(({ text, y }) => text !== "seconds" && y > box.bottom + 4);
  assert.ok(numbers.length > 1);
  for (const { y } of numbers) assert.ok(label - y >= 14, `${label} is below ${y}`);
  assert.ok(label < height);
});
