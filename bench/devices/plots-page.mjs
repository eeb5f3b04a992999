// Runs in the page of the bench.
import uPlot from "uplot";
import { createPlot } from "../../packages/web/src/workspace/parts/plot/plot-engine.ts";
import { createTrack } from "../../packages/web/src/workspace/parts/plot/track.ts";

const names = (count) => Array.from({ length: count }, (_, i) => `x${i}`);
const signal = (tMs, place) => 10 * Math.sin(tMs / (3_000 + 700 * place)) + 4 * place + Math.random();

/** Each returns what happens in one frame. */
const ways = {
  /** As panels plot: samples are added, and the plot draws when it thinks that it should. */
  envelope({ series, hz, minutes }, at) {
    const track = createTrack();
    const count = hz * minutes * 60;
    const startMs = Date.now() - minutes * 60_000;
    const append = (tMs) =>
      track.append({
        ...{ tMs, isHistory: false, thinned: false },
        fields: Object.fromEntries(names(series).map((name, place) => [name, tMs.map((t) => signal(t, place))])),
      });
    append(Array.from({ length: count }, (_, i) => startMs + (i * 1_000) / hz));
    const plot = createPlot(at, { nowMs: () => Date.now(), onCursor: () => {}, onSelect: () => {} });
    const lines = names(series).map((key, place) => ({
      ...{ key, label: key, slot: place + 1, track, isShown: true, isReady: true },
      read: (from, sample) => from.valueAt(key, sample),
    }));
    const view = { windowMs: minutes * 60_000, range: undefined };
    plot.show({ lanes: [{ unit: "m", series: lines }], view, marks: { cursors: [], selection: undefined } });
    return () => append([Date.now()]);
  },
  /** The anchor: every point, in every frame. */
  "all points"({ series, hz, minutes }, at) {
    const count = hz * minutes * 60;
    const xs = new Float64Array(count + 10_000);
    const ys = names(series).map(() => new Float64Array(xs.length));
    const startMs = Date.now() - minutes * 60_000;
    const set = (i, tMs) => {
      xs[i] = tMs / 1_000;
      for (const [place, values] of ys.entries()) values[i] = signal(tMs, place);
    };
    for (let i = 0; i < count; i += 1) set(i, startMs + (i * 1_000) / hz);
    const data = (from) => [
      xs.subarray(from, from + count),
      ...ys.map((values) => values.subarray(from, from + count)),
    ];
    const lines = names(series).map(() => ({ stroke: "teal", width: 1, points: { show: false } }));
    const { clientWidth: width, clientHeight: height } = at;
    const plot = new uPlot({ width, height, legend: { show: false }, series: [{}, ...lines] }, data(0), at);
    let next = 0;
    return () => {
      set(count + next, Date.now());
      next += 1;
      plot.setData(data(next));
    };
  },
};

globalThis.bench = { ways };
