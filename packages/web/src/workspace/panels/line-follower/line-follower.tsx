import "./line-follower.css";
import { Button } from "../../../parts/button.tsx";
import { Segmented } from "../../../parts/segmented.tsx";
import type { DeviceContent } from "../../device-panel/device-panel.tsx";
import { useClockMode } from "../../device-panel/use-devices.ts";
import { Drawing } from "../../parts/drawing/drawing.tsx";
import { TimePlot } from "../../parts/plot/time-plot.tsx";
import { changeWords, durationWords, numberWords } from "../../parts/plot/words.ts";
import { type PlotBody, type Plotted, periodWords, plotPanel } from "../../plot-panel/plot-panel.tsx";
import { Reading, Readings, StepRow } from "../../plot-panel/readings.tsx";
import { usePanelState } from "../react-panel.tsx";
import { drawEyes, drawTrail } from "./draw-line.ts";
import { eyesAt, FULL, isOnLine, positionAt, runOf, THRESHOLD, trailOf } from "./line.ts";

export const mount = plotPanel({
  noun: "line follower",
  windows: [
    [20, "20 s"],
    [60, "1 min"],
    [300, "5 min"],
  ],
  usualS: 20,
  keptMs: 300_000,
  isControlling: true,
  plotted: () => [POSITION],
  Body: LineFollower,
  Tools,
});

const POSITION: Plotted = {
  ...{ key: "position", label: "Position", unit: "", isBroken: true },
  read: positionAt,
};

const VIEWS = [
  ["values", "Values"],
  ["raw", "Raw"],
] as const;

function Tools({ context, capability, commands }: DeviceContent) {
  const { view } = usePanelState(context);
  const mode = useClockMode(context);
  return (
    <>
      <Segmented
        label="Shown"
        choices={VIEWS}
        value={view === "raw" ? "raw" : "values"}
        onChange={(next) => void context.setState({ view: next }).catch(reportError)}
      />
      {capability.commands.calibrate && (
        <Button
          size="small"
          disabled={mode === "replay"}
          onClick={() => void commands.send("calibrate", {}, "calibrate")}
        >
          Calibrate
        </Button>
      )}
    </>
  );
}

function LineFollower({ device, capability, state, track, shown, series, times, periodMs, plot }: PlotBody) {
  const sample = shown();
  const eyes = eyesAt(track, sample);
  const isRaw = state.view === "raw";
  const position = positionAt(track, sample);
  const isOn = isOnLine(track, sample);
  const seeing = eyes.filter(({ value }) => value > THRESHOLD).length;
  const { lost, lostMs, rms, drivenM } = runOf(track, times);
  const hasPlace = "x_m" in capability.fields && "y_m" in capability.fields;
  const news = () => `${shown()} ${track.revision}`;
  const lane = { unit: "", series: series.map((each) => ({ ...each, slot: 2 })), minSpan: 2 };
  return (
    <>
      <Drawing
        className="line-eyes"
        label={`Eyes from left to right: ${eyes.map((eye) => numberWords(isRaw ? eye.raw : eye.value)).join(", ")}`}
        news={news}
        draw={(pen) => drawEyes(pen, eyesAt(track, shown()), positionAt(track, shown()), isRaw)}
      />
      <Readings isLost={device.state !== "ready"}>
        <Reading name="Position" value={changeWords(position, 2)} unit={sideWords(position)} />
        <Reading
          name="Line"
          value={eyes.length === 0 ? "–" : isOn ? "Seen" : "Lost"}
          unit={`${seeing} ${seeing === 1 ? "eye" : "eyes"}`}
          tone={eyes.length === 0 || isOn ? undefined : "warn"}
        />
        <Reading name="Lost" value={String(lost)} unit={durationWords(lostMs)} tone={lost > 0 ? "warn" : undefined} />
        {hasPlace && <Reading name="Driven" value={numberWords(drivenM, 2)} unit="m" />}
        <Reading name="Error, RMS" value={numberWords(rms, 2)} />
      </Readings>
      <div className="line-below">
        {hasPlace && (
          <Drawing
            className="line-trail"
            label={`The way it drove, ${numberWords(drivenM, 1)} m`}
            news={news}
            draw={(pen) => drawTrail(pen, trailOf(track, times), track.valueAt("heading_rad", shown()))}
          />
        )}
        <TimePlot {...plot} lanes={[lane]} label={`Position of the line below ${device.name}`} />
      </div>
      {track.valueAt("calibrating", sample) === 1 && (
        <StepRow title="It calibrates." words="Each eye must see line and floor: move the robot across the line." />
      )}
      <div className="panel-status">
        <span>{periodWords(periodMs)}</span>
        <span className="grow" />
        <span>{spanWords(eyes)}</span>
      </div>
    </>
  );
}

const sideWords = (position: number): string => (position > 0.02 ? "right" : position < -0.02 ? "left" : "middle");

/** How well line and floor can be told apart by the eye that is worst at it. */
function spanWords(eyes: ReturnType<typeof eyesAt>): string {
  const spans = eyes.map(({ min, max }) => max - min);
  const worst = Math.min(...spans);
  if (eyes.length === 0 || Number.isNaN(worst)) return `values from 0 to ${numberWords(FULL)}`;
  return worst <= 0
    ? "not calibrated"
    : `calibrated; eye ${spans.indexOf(worst) + 1} has the smallest range, ${numberWords(worst)}`;
}
