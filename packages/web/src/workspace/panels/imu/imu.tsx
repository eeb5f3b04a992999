import "./imu.css";
import type { JsonObject } from "@backplane/contract/panels";
import { useEffect, useMemo, useRef, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { Segmented } from "../../../parts/segmented.tsx";
import type { DeviceContent } from "../../device-panel/device-panel.tsx";
import { Drawing } from "../../parts/drawing/drawing.tsx";
import { drawHorizon } from "../../parts/drawing/horizon.ts";
import { itemOf } from "../../parts/maths/maths.ts";
import { Swatch, TimePlot, valueWords } from "../../parts/plot/time-plot.tsx";
import { changeWords, durationWords, numberWords } from "../../parts/plot/words.ts";
import { type PlotBody, type Plotted, periodWords, plotPanel } from "../../plot-panel/plot-panel.tsx";
import { StepRow, Values } from "../../plot-panel/readings.tsx";
import { usePanelState } from "../react-panel.tsx";
import { type Angles, angleBetween, anglesOf, degrees, lengthOf, type Quaternion } from "./attitude.ts";
import { beginCalibration, type Calibrating, type Calibration, HOLD_S, SIDE_WORDS, SIDES } from "./calibration.ts";
import { drawBody } from "./draw-attitude.ts";
import { deviceAt, figuresAt, followMotion, motionAt } from "./motion.ts";

const GYRO = "gyro_rad_s";
/** y is to the left, so a positive pitch is nose down. */
const bankOf = (q: Quaternion | undefined) => q && anglesOf(q);
const KEPT_MS = 60_000;

export const mount = plotPanel({
  noun: "IMU",
  windows: [
    [10, "10 s"],
    [30, "30 s"],
    [60, "1 min"],
  ],
  usualS: 10,
  keptMs: KEPT_MS,
  plotted: ({ capability }) => (GYRO in capability.fields ? ["x", "y", "z"].map(rateOf) : []),
  Body: Imu,
  Tools,
});

const rateOf = (label: string, axis: number): Plotted => ({
  ...{ key: label, label, unit: "°/s" },
  read: (track, sample) => Math.round(100 * degrees(itemOf(track.dataAt(GYRO, sample), axis))) / 100,
});

const SOURCES = [
  ["device", "Device"],
  ["ours", "Ours"],
  ["both", "Both"],
] as const;
type Source = (typeof SOURCES)[number][0];

const sourceOf = ({ source }: JsonObject): Source => (source === "device" || source === "ours" ? source : "both");

function Tools({ context }: DeviceContent) {
  const state = usePanelState(context);
  const choose = (source: Source) => void context.setState({ source }).catch(reportError);
  return <Segmented label="Attitude by" choices={SOURCES} value={sourceOf(state)} onChange={choose} />;
}

function Imu({ context, device, state, track, shown, series, periodMs, plot }: PlotBody) {
  const calibration = calibrationOf(state.calibration);
  const calibrating = useRef<Calibrating>(undefined);
  const key = JSON.stringify(calibration ?? null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a calibration is another one when its numbers are
  const ours = useMemo(
    () => followMotion(track, calibration, (motion, seconds) => calibrating.current?.take(motion, seconds)),
    [track, key],
  );
  const source = sourceOf(state);
  const attitudes = () => ({
    said: source === "ours" ? undefined : deviceAt(track, shown()),
    own: source === "device" ? undefined : ours.at(shown()),
  });
  const { said, own } = attitudes();
  const isLost = device.state !== "ready";
  const news = () => `${shown()} ${track.revision}`;
  return (
    <>
      <div className="imu-top">
        <Drawing
          className="imu-view"
          label={`Horizon: ${anglesWords(said ?? own)}`}
          news={news}
          draw={(pen) => {
            const now = attitudes();
            drawHorizon(pen, bankOf(now.said ?? now.own), bankOf(now.said && now.own));
          }}
        />
        <Drawing
          className="imu-view"
          label="The board in the room"
          news={news}
          draw={(pen) => {
            const now = attitudes();
            drawBody(pen, now.said ?? now.own);
          }}
        />
        <div className="imu-facts">
          <AngleTable said={said && anglesOf(said)} own={own && anglesOf(own)} isLost={isLost} />
          <Facts track={track} sample={shown()} calibration={calibration} />
        </div>
      </div>
      <div className="plot-head wide-only">
        <span>Rates</span>
        {series.map((each) => (
          <span className="row imu-rate" key={each.key}>
            <Swatch slot={each.slot} />
            {each.label} <b data-field={each.key}>{valueWords(each, Number.POSITIVE_INFINITY)}</b>
          </span>
        ))}
        <span>°/s</span>
      </div>
      <TimePlot {...plot} lanes={[{ unit: "°/s", series, minSpan: 10 }]} label={`Rates of ${device.name}`} />
      <CalibrationRow {...{ context, calibration, calibrating }} isLive={device.state === "ready"} />
      <div className="panel-status">
        <span>{periodWords(periodMs)}</span>
        <span className="grow" />
        <span>{[device.model, "time of the hub"].filter(Boolean).join(", ")}</span>
      </div>
    </>
  );
}

const anglesWords = (q: Quaternion | undefined): string => {
  if (!q) return "not known";
  const { roll, pitch, yaw } = anglesOf(q);
  return `roll ${numberWords(roll)}°, pitch ${numberWords(pitch)}°, yaw ${numberWords(yaw)}°`;
};

const ROWS = ["roll", "pitch", "yaw"] as const;
/** Two attitudes that differ by more are marked. */
const MAX_DIFFERENCE_DEG = 1;

type TableProps = { said: Angles | undefined; own: Angles | undefined; isLost: boolean };

function AngleTable({ said, own, isLost }: TableProps) {
  const angle = (of: Angles | undefined, name: keyof Angles) => (of ? `${numberWords(of[name], 1)}°` : "–");
  return (
    <table className="series-table imu-angles" data-lost={isLost}>
      <thead>
        <tr>
          {["Angle", "Device", "Ours", "Differs"].map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {ROWS.map((name) => {
          const differs = said && own ? angleBetween(said[name], own[name]) : Number.NaN;
          return (
            <tr key={name} data-angle={name}>
              <th scope="row">{name.charAt(0).toUpperCase() + name.slice(1)}</th>
              <td className="now">{angle(said, name)}</td>
              <td>{angle(own, name)}</td>
              <td className={Math.abs(differs) > MAX_DIFFERENCE_DEG ? "warn" : "quiet"}>
                {Number.isNaN(differs) ? "–" : `${changeWords(differs, 1)}°`}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

type FactsProps = { track: PlotBody["track"]; sample: number; calibration: Calibration | undefined };

function Facts({ track, sample }: FactsProps) {
  const { stillMs, driftDegH, noiseDegS } = figuresAt(track, sample);
  const motion = motionAt(track, sample);
  const length = (vector: readonly number[] | undefined, digits: number, unit: string) =>
    vector ? `${numberWords(lengthOf(vector), digits)} ${unit}` : "–";
  const isStill = !Number.isNaN(noiseDegS);
  return (
    <Values
      rows={[
        [
          isStill ? `Yaw drift, still for ${durationWords(stillMs)}` : "Yaw drift, when still for 5 s",
          Number.isNaN(driftDegH) ? "–" : `${changeWords(driftDegH, 1)} °/h`,
        ],
        ["Gyro noise", isStill ? `${numberWords(noiseDegS, 4)} °/s/√Hz` : "–"],
        ["Accel length", length(motion?.accel, 2, "m/s²")],
        ["Field", length(motion?.mag, 1, "µT")],
        ["Temperature", `${numberWords(track.valueAt("temperature_c", sample), 1)} °C`],
      ]}
    />
  );
}

/** What the state of the tab says, whoever wrote it. */
function calibrationOf(state: unknown): Calibration | undefined {
  return typeof state === "object" && state !== null ? (state as Calibration) : undefined;
}

type RowProps = {
  context: PlotBody["context"];
  calibration: Calibration | undefined;
  calibrating: React.RefObject<Calibrating | undefined>;
  isLive: boolean;
};

/** The board is put on each of its sides in turn. What was found is kept in the tab, and used by our own attitude. */
function CalibrationRow({ context, calibration, calibrating, isLive }: RowProps) {
  const [isOn, setOn] = useState(false);
  const set = (next: Calibration | null) => void context.setState({ calibration: next }).catch(reportError);
  const now = calibrating.current;
  const end = () => {
    calibrating.current = undefined;
    setOn(false);
  };
  const isDone = isOn && now !== undefined && now.wanted === undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when all sides are done
  useEffect(() => {
    if (!isDone || !now) return;
    set(now.result());
    end();
  }, [isDone]);
  const begin = () => {
    calibrating.current = beginCalibration();
    setOn(true);
  };
  if (isOn && now?.wanted) {
    return (
      <StepRow
        title={`Side ${now.done + 1} of ${SIDES.length}.`}
        words={`${SIDE_WORDS[now.wanted]} and leave it still.`}
        share={now.heldS / HOLD_S}
        detail={`${now.heldS.toFixed(1)} of ${HOLD_S} s`}
      >
        <Button size="small" onClick={now.skip}>
          Skip side
        </Button>
        <Button size="small" look="quiet" onClick={end}>
          Cancel
        </Button>
      </StepRow>
    );
  }
  const words = calibration
    ? `Gravity was off by ${numberWords(calibration.before, 2)} m/s² and is now by ${numberWords(calibration.after, 2)}.`
    : "Ours is what the sensor says, with its faults.";
  return (
    <StepRow title={calibration ? "Calibrated." : "Not calibrated here."} words={words}>
      {calibration && (
        <Button size="small" look="quiet" onClick={() => set(null)}>
          Remove
        </Button>
      )}
      <Button size="small" onClick={begin} disabled={!isLive}>
        Calibrate
      </Button>
    </StepRow>
  );
}
