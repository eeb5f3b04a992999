import { useCallback, useMemo, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { Chart } from "../../parts/plot/chart.tsx";
import { type Painter, withAlpha, words } from "../../parts/plot/paint.ts";
import type { Range } from "../../parts/plot/range.ts";
import { numberWords, timeWords, withUnit } from "../../parts/plot/words.ts";
import { type PlotBody, periodWords } from "../../plot-panel/plot-panel.tsx";
import { type Peak, peaksOf, type Spectrum, spectrumOf } from "./spectrum.ts";

const DB_STEP = 20;
const MIN_DB_SPAN = 60;
/** The spectrum is computed again at most this often. */
const EVERY_MS = 1_000;
const NAME_PX = 44;

/** Which frequencies are in the first series that is shown. */
export function SpectrumView({ series, times, controls, context }: PlotBody) {
  const shown = series.find(({ isShown }) => isShown) ?? series[0];
  const second = Math.floor(times[1] / EVERY_MS);
  const [held, setHeld] = useState<{ spectrum: Spectrum; atMs: number }>();
  const toMs = controls.isPaused ? times[1] : Number.POSITIVE_INFINITY;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per second
  const spectrum = useMemo(
    () => shown && spectrumOf(shown.track, shown.read, toMs),
    [shown?.key, second, shown?.track],
  );
  const peaks = useMemo(() => (spectrum ? peaksOf(spectrum) : []), [spectrum]);
  const draw = useCallback(
    (painter: Painter) => drawSpectrum(painter, spectrum, { held: held?.spectrum, peaks, slot: shown?.slot ?? 1 }),
    [spectrum, held, peaks, shown?.slot],
  );
  const [x, y] = useMemo(
    () => [
      { range: [0, (spectrum?.rateHz ?? 2) / 2] as Range, unit: "Hz" },
      { range: levelRange(spectrum), unit: "dB" },
    ],
    [spectrum],
  );
  if (!shown) return null;
  if (!spectrum) {
    return (
      <p className="panel-message">
        A spectrum needs about 100 samples that come at a steady rate. They are being collected.
      </p>
    );
  }
  const hold = () => setHeld(held ? undefined : { spectrum, atMs: context.clock.nowMs() });
  return (
    <>
      <div className="plot-head">
        <span>
          {shown.label}: Hann window, {numberWords(spectrum.length)} samples, half overlapped, {spectrum.averaged}{" "}
          averaged
        </span>
        <span className="grow" />
        <Button size="small" look="quiet" onClick={hold}>
          {held ? "Let go" : "Hold to compare"}
        </Button>
      </div>
      <Chart label={`Spectrum of ${shown.label}. ${peaks.map(peakWords).join(", ")}`} x={x} y={y} draw={draw} />
      <PeakTable peaks={peaks} unit={shown.unit} />
      <div className="panel-status">
        <span>
          {periodWords(1_000 / spectrum.rateHz)}, {numberWords(spectrum.rateHz / spectrum.length, 2)} Hz per line
        </span>
        {held && <span>held at {timeWords(held.atMs)}</span>}
        <span className="grow" />
        <span>0 dB is {withUnit("1", shown.unit)}</span>
      </div>
    </>
  );
}

const peakWords = ({ hz, db }: Peak): string => `${numberWords(hz, 1)} Hz ${numberWords(db, 1)} dB`;

function levelRange(spectrum: Spectrum | undefined): Range {
  if (!spectrum) return [-100, 0];
  const levels = spectrum.db.slice(1).toSorted((a, b) => a - b);
  const top = Math.ceil(((levels.at(-1) ?? 0) + 6) / DB_STEP) * DB_STEP;
  const low = Math.floor(((levels[Math.floor(levels.length / 20)] ?? -80) - 6) / DB_STEP) * DB_STEP;
  return [Math.min(low, top - MIN_DB_SPAN), top];
}

type Drawn = { held: Spectrum | undefined; peaks: readonly Peak[]; slot: number };

function drawSpectrum(painter: Painter, spectrum: Spectrum | undefined, { held, peaks, slot }: Drawn): void {
  const { context, palette, x, y } = painter;
  const line = ({ hz, db }: Spectrum, colour: string) => {
    context.strokeStyle = colour;
    context.beginPath();
    for (let i = 1; i < db.length; i += 1) context.lineTo(x(hz[i] as number), y(db[i] as number));
    context.stroke();
  };
  if (held) line(held, withAlpha(palette.series(8), 0.8));
  if (spectrum) line(spectrum, palette.series(slot));
  const named: number[] = [];
  for (const { hz, db } of peaks) {
    context.fillStyle = palette.colour("accent");
    context.beginPath();
    context.moveTo(x(hz), y(db) - 3);
    context.lineTo(x(hz) + 4, y(db) - 10);
    context.lineTo(x(hz) - 4, y(db) - 10);
    context.fill();
    if (named.some((other) => Math.abs(other - x(hz)) < NAME_PX)) continue;
    named.push(x(hz));
    words(painter, numberWords(hz, 1), x(hz) + 7, y(db) - 5, { colour: "text" });
  }
}

function PeakTable({ peaks, unit }: { peaks: readonly Peak[]; unit: string }) {
  return (
    <section className="plot-table" aria-label="Peaks">
      <table className="series-table">
        <thead>
          <tr>
            <th scope="col">Peak</th>
            <th scope="col">Level</th>
            <th scope="col" className="wide-only">
              Amplitude
            </th>
            <th scope="col" className="words">
              Reads as
            </th>
          </tr>
        </thead>
        <tbody>
          {peaks.map((peak) => (
            <tr key={peak.hz}>
              <th scope="row" className="now">
                {numberWords(peak.hz, 1)} Hz
              </th>
              <td>{numberWords(peak.db, 1)} dB</td>
              <td className="wide-only">{withUnit(numberWords(peak.amplitude, 3), unit)}</td>
              <td className="words quiet">{peak.words}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
