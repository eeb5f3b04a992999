import assert from "node:assert/strict";
import { test } from "node:test";
import { createTrack } from "../../parts/plot/track.ts";
import { correlationOf, fitEllipse } from "./ellipse.ts";
import { peaksOf, spectrumOf, transform } from "./spectrum.ts";

test("the transform equals the sum that it stands for", () => {
  const values = Array.from({ length: 16 }, (_, i) => Math.sin(i * 1.7) + (i % 3));
  const real = Float64Array.from(values);
  const imaginary = new Float64Array(16);
  transform(real, imaginary);
  for (let k = 0; k < 16; k += 1) {
    const at = (part: (angle: number) => number) =>
      values.reduce((sum, value, i) => sum + value * part((-2 * Math.PI * k * i) / 16), 0);
    assert.ok(Math.abs((real[k] as number) - at(Math.cos)) < 1e-9);
    assert.ok(Math.abs((imaginary[k] as number) - at(Math.sin)) < 1e-9);
  }
});

function recorded(signal: (s: number) => number, { hz = 200, seconds = 40 } = {}) {
  const track = createTrack();
  const tMs = Array.from({ length: hz * seconds }, (_, i) => (i * 1_000) / hz);
  track.append({ tMs, fields: { x: tMs.map((t) => signal(t / 1_000)) }, isHistory: false, thinned: false });
  return track;
}

test("tones are found at their frequency and with their amplitude, harmonics by name", () => {
  const tone = (hz: number, size: number) => (s: number) => size * Math.sin(2 * Math.PI * hz * s);
  const [low, double, other] = [tone(12.3, 0.5), tone(24.6, 0.2), tone(61.7, 0.1)];
  const track = recorded((s) => 9.81 + low(s) + double(s) + other(s) + 0.001 * Math.sin(s * s * 977));
  const spectrum = spectrumOf(track, (each, sample) => each.valueAt("x", sample));
  assert.ok(spectrum);
  assert.deepEqual([spectrum.length, Math.round(spectrum.rateHz)], [4_096, 200]);
  const peaks = peaksOf(spectrum);
  for (const [i, [hz, size]] of (
    [
      [12.3, 0.5],
      [24.6, 0.2],
      [61.7, 0.1],
    ] as const
  ).entries()) {
    assert.ok(Math.abs((peaks[i]?.hz ?? 0) - hz) < 0.02, `${peaks[i]?.hz}`);
    assert.ok(Math.abs((peaks[i]?.amplitude ?? 0) / size - 1) < 0.05, `${peaks[i]?.amplitude}`);
  }
  assert.equal(peaks[1]?.words, "2 × 12.3 Hz");
  assert.equal(peaks[0]?.words, "738 turns per minute");
});

test("one tone is one peak, also when samples come late and at another rate now and then", () => {
  const track = createTrack();
  let t = 0;
  for (let i = 0; i < 4_000; i += 1) {
    // Sampled at t, stamped when it arrived.
    t += i % 900 < 300 ? 21 : 16 + (i % 3);
    const sample = { tMs: [t + (i % 5 === 0 ? 3 : 0)], fields: { x: [Math.sin((2 * Math.PI * 7.5 * t) / 1_000)] } };
    track.append({ ...sample, isHistory: false, thinned: false });
  }
  const spectrum = spectrumOf(track, (each, sample) => each.valueAt("x", sample));
  assert.ok(spectrum);
  const peaks = peaksOf(spectrum).filter(({ db }) => db > -20);
  assert.deepEqual(
    peaks.map(({ hz }) => hz.toFixed(1)),
    ["7.5"],
  );
});

test("too few samples, or samples without a period, have no spectrum", () => {
  assert.equal(
    spectrumOf(
      recorded(() => 1, { seconds: 0.2 }),
      () => 1,
    ),
    undefined,
  );
});

test("an ellipse is found from its points", () => {
  const points = Array.from({ length: 100 }, (_, i) => {
    const t = (i / 100) * 2 * Math.PI;
    const [u, v] = [21.5 * Math.cos(t), 17.2 * Math.sin(t)];
    return [u * Math.cos(0.42) - v * Math.sin(0.42) + 6.1, u * Math.sin(0.42) + v * Math.cos(0.42) - 4.2] as const;
  });
  const found = fitEllipse(points);
  const near = (value: number | undefined, wanted: number) =>
    assert.ok(Math.abs((value ?? 0) - wanted) < 1e-6, `${value} ${wanted}`);
  near(found?.x, 6.1);
  near(found?.y, -4.2);
  near(found?.long, 21.5);
  near(found?.short, 17.2);
  near(found?.angleRad, 0.42);
  near(found?.rms, 0);
});

test("points on a line are no ellipse, and correlate", () => {
  const points = Array.from({ length: 50 }, (_, i) => [i, 3 * i + 1] as const);
  assert.equal(fitEllipse(points), undefined);
  assert.ok(correlationOf(points) > 0.999999);
});
