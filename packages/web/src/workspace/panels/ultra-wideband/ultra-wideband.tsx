import "./ultra-wideband.css";
import { useCallback, useMemo, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import type { DeviceContent } from "../../device-panel/device-panel.tsx";
import { medianOf } from "../../parts/maths/maths.ts";
import { Chart } from "../../parts/plot/chart.tsx";
import type { Painter } from "../../parts/plot/paint.ts";
import type { Range } from "../../parts/plot/range.ts";
import { changeWords, numberWords } from "../../parts/plot/words.ts";
import { type PlotBody, type Plotted, periodWords, plotPanel } from "../../plot-panel/plot-panel.tsx";
import { Reading, Readings, StepRow, Values } from "../../plot-panel/readings.tsx";
import { usePanelState } from "../react-panel.tsx";
import { drawRoom } from "./draw-room.ts";
import { anchorsAt, betweenAt, fixesOf, heightAt, rangesAt, speedAt, weakerBy } from "./fixes.ts";
import type { Anchor, AnchorResult, Fix } from "./locate.ts";
import { type Surveyed, survey } from "./survey.ts";

export const mount = plotPanel({
  noun: "tag",
  windows: [
    [10, "10 s"],
    [60, "1 min"],
    [300, "5 min"],
  ],
  usualS: 60,
  keptMs: 300_000,
  plotted: () => [ofFix("x"), ofFix("y")],
  Body: UltraWideband,
  Tools,
});

const ofFix = (axis: "x" | "y"): Plotted => ({
  ...{ key: axis, label: axis, unit: "m" },
  read: (track, sample) => fixesOf(track).at(sample)?.[axis] ?? Number.NaN,
});

function Tools({ context }: DeviceContent) {
  const { errorMap } = usePanelState(context);
  const isOn = errorMap === true;
  return (
    <button
      className="switch"
      type="button"
      role="switch"
      aria-checked={isOn}
      onClick={() => void context.setState({ errorMap: !isOn }).catch(reportError)}
    >
      Error map
      <i />
    </button>
  );
}

const ROOM_M = 0.5;

const rangeOf = (values: readonly number[]): Range =>
  values.length === 0 ? [0, 10] : [Math.min(...values) - ROOM_M, Math.max(...values) + ROOM_M];

function UltraWideband({ device, capability, state, track, shown, times, periodMs }: PlotBody) {
  const fixes = fixesOf(track);
  const [surveyed, setSurveyed] = useState<readonly Surveyed[]>();
  const sample = shown();
  const anchors = anchorsAt(track, sample);
  const fix = fixes.at(sample);
  const where = JSON.stringify(anchors);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the axes are others when the anchors are
  const [xAxis, yAxis] = useMemo(
    () => [
      { range: rangeOf(anchors.map(({ x }) => x)), unit: "m" },
      { range: rangeOf(anchors.map(({ y }) => y)), unit: "" },
    ],
    [where],
  );
  const name = capability.name ?? device.name;
  const hasErrors = state.errorMap === true;
  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn again for another sample, time or look
  const draw = useCallback(
    (painter: Painter) =>
      drawRoom(painter, {
        ...{ anchors, fix, name, hasErrors, height: heightAt(track, sample) },
        ...{ trail: fixes.trail(times), surveyed: surveyed ?? [] },
      }),
    [where, sample, track.revision, times[0], surveyed, hasErrors, name],
  );
  const used = fix?.anchors.filter(({ isUsed }) => isUsed).length ?? 0;
  const [gatewayX, gatewayY] = [track.valueAt("x_m", sample), track.valueAt("y_m", sample)];
  const m = (value: number | undefined) => numberWords(value ?? Number.NaN, 2);
  return (
    <>
      <div className="uwb">
        <Chart
          label={fix ? `${name} at ${m(fix.x)} m, ${m(fix.y)} m among ${anchors.length} anchors` : "No position"}
          x={xAxis}
          y={yAxis}
          isSquare
          draw={draw}
        />
        <div className="uwb-side">
          <AnchorTable results={fix?.anchors ?? rangesAt(track, sample).map(withoutFix)} />
          {fix && <Blocked fix={fix} />}
          <Facts {...{ fix, used, periodMs }} height={heightAt(track, sample)} />
        </div>
      </div>
      <Readings isLost={device.state !== "ready"}>
        <Reading name="x" value={m(fix?.x)} unit="m" />
        <Reading name="y" value={m(fix?.y)} unit="m" />
        <Reading name="Error, 95 %" value={m(fix?.ellipse.long)} unit="m" />
        <Reading name="Speed" value={m(speedAt(track, fixes, sample))} unit="m/s" />
        <Reading
          name="Gateway differs"
          value={m(fix && !fix.isSaid ? Math.hypot(gatewayX - fix.x, gatewayY - fix.y) : Number.NaN)}
          unit="m"
        />
      </Readings>
      {"anchor_ranges" in capability.fields && (
        <Survey
          {...{ anchors, surveyed }}
          onSurvey={() => setSurveyed(surveyed ? undefined : (survey(anchors, betweenAt(track, shown())) ?? []))}
        />
      )}
      <div className="panel-status">
        <span>{periodWords(periodMs)}</span>
        <span>{fix?.isSaid ? `${anchors.length} anchors` : `${used} of ${anchors.length} anchors used`}</span>
        <span className="grow" />
        <span>{fix?.isSaid ? "as the gateway says: it sends no ranges" : "own solver beside the gateway's"}</span>
      </div>
    </>
  );
}

const withoutFix = (measured: { anchor: string; m: number; dbm: number }): AnchorResult => ({
  ...measured,
  residual: Number.NaN,
  isUsed: false,
});

const FULL_BAR_M = 0.4;

function AnchorTable({ results }: { results: readonly AnchorResult[] }) {
  return (
    <table className="series-table loose uwb-anchors">
      <thead>
        <tr>
          <th scope="col">Anchor</th>
          <th scope="col">Range</th>
          <th scope="col">Residual</th>
          <th scope="col" className="wide-only">
            <span className="sr">Residual as a bar</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {results.map(({ anchor, m, residual, isUsed }) => (
          <tr key={anchor} data-anchor={anchor}>
            <th scope="row">{anchor}</th>
            <td>{numberWords(m, 2)} m</td>
            <td className={isUsed ? "" : "warn"}>
              {Number.isNaN(residual) ? "–" : `${changeWords(residual * 1_000)} mm`}
            </td>
            <td className="wide-only" aria-hidden="true">
              <i
                className={isUsed ? "uwb-bar" : "uwb-bar warn"}
                style={{ width: `${Math.min(1, Math.abs(residual || 0) / FULL_BAR_M) * 100}%` }}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Blocked({ fix }: { fix: Fix }) {
  return fix.anchors
    .filter(({ isUsed, residual }) => !isUsed && residual > 0)
    .map((each) => {
      const weaker = weakerBy(each, fix.anchors);
      return (
        <div className="uwb-blocked" key={each.anchor}>
          <span className="state warn">{each.anchor} is blocked</span>
          <p className="hint">
            {numberWords(each.residual * 1_000)} mm too long
            {weaker > 1 ? ` and ${numberWords(weaker)} dB weaker than the others` : ""}. It is left out of the position.
          </p>
        </div>
      );
    });
}

type FactsProps = { fix: Fix | undefined; used: number; periodMs: number | undefined; height: number };

function Facts({ fix, used, periodMs, height }: FactsProps) {
  const dbm = medianOf(fix?.anchors.map((each) => each.dbm) ?? []);
  const rate = periodMs === undefined || !fix ? Number.NaN : (fix.anchors.length * 1_000) / periodMs;
  return (
    <Values
      rows={[
        ["Power, median", `${numberWords(dbm, 1)} dBm`],
        [`Residual, RMS of ${used}`, `${numberWords((fix?.rms ?? Number.NaN) * 1_000)} mm`],
        ["Height of tag, fixed", `${numberWords(height, 2)} m`],
        ["Ranges per second", numberWords(rate)],
      ]}
    />
  );
}

type SurveyProps = { anchors: readonly Anchor[]; surveyed: readonly Surveyed[] | undefined; onSurvey: () => void };
/** An anchor that is further away than this from where it is written down is named. */
const MOVED_M = 0.1;

function Survey({ anchors, surveyed, onSurvey }: SurveyProps) {
  return (
    <StepRow
      title="Anchors."
      words={surveyed ? surveyWords(surveyed) : `${anchors.length} where they are written down.`}
    >
      <Button size="small" onClick={onSurvey} disabled={anchors.length < 3}>
        {surveyed ? "Hide survey" : "Survey anchors"}
      </Button>
    </StepRow>
  );
}

function surveyWords(surveyed: readonly Surveyed[]): string {
  if (surveyed.length === 0) return "They have not measured each other enough.";
  const moved = surveyed.filter(({ movedM }) => movedM > MOVED_M);
  const worst = Math.max(...surveyed.map(({ movedM }) => movedM));
  if (moved.length === 0)
    return `By their own ranges all are where they are written down, within ${numberWords(worst * 1_000)} mm.`;
  return `By their own ranges ${moved.map(({ id, movedM }) => `${id} is ${numberWords(movedM, 2)} m away`).join(", ")}.`;
}
