import { useEffect, useId, useRef, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { Select } from "../../../parts/select.tsx";
import { clockWithSeconds } from "../../../parts/times.ts";
import { drawDots, drawLine } from "../../controls/draw.ts";
import { numberOf } from "../../controls/json.ts";
import type { Limits } from "../../controls/params.ts";
import { useTrack } from "../../controls/use-track.ts";
import { usePermission } from "../../controls/why-not.ts";
import type { DeviceContent } from "../../device-panel/device-panel.tsx";
import { HoldButton } from "../../device-panel/hold-button.tsx";
import { line } from "../../parts/drawing/horizon.ts";
import { Chart } from "../../parts/plot/chart.tsx";
import { type Painter, withAlpha, words } from "../../parts/plot/paint.ts";
import { saveFile } from "../../parts/save-file.ts";
import { usePanelState } from "../react-panel.tsx";
import { BAND, csvOfSteps, curveOf, figuresOf, readSteps, rowsOf, type StepTest, withStep } from "./step-test.ts";

const TRACK_MS = 30_000;
const LOOK_MS = 40;
/** It has to stand at the first velocity for a moment; what does not get there is not measured. */
const READY_MS = 300;
const GIVE_UP_MS = 5_000;
const NEAR = 1;

type Settings = { from: number; to: number; forS: number };
type Props = DeviceContent & { limits: Limits; unit: string };

/** One step of the velocity while the button is held, measured and put beside the last one. */
export function StepView(props: Props) {
  const { context, limits, unit } = props;
  const { control, why } = usePermission(props, "moves");
  const [settings, setSettings] = useState<Settings>({ from: 0, to: 40, forS: 1.2 });
  const { words, start, stop } = useStep(props, settings);
  const state = usePanelState(context);
  const [now, ...others] = readSteps(state);
  const last = others.find(({ atMs }) => atMs === state.comparedAtMs) ?? others[0];
  const isWrong = settings.from === settings.to || !Number.isFinite(settings.from + settings.to + settings.forS);
  const input = (name: keyof Settings, label: string, [min, max]: Limits) => (
    <label>
      {label}
      <input
        type="number"
        {...{ min, max }}
        step={name === "forS" ? 0.1 : 1}
        value={Number.isFinite(settings[name]) ? settings[name] : ""}
        onChange={({ target }) => setSettings({ ...settings, [name]: target.valueAsNumber })}
      />
    </label>
  );
  return (
    <>
      <div className="control-side">
        <div className="number-inputs">
          {input("from", `From, ${unit}`, limits)}
          {input("to", `To, ${unit}`, limits)}
          {input("forS", "Stays for, s", [0.2, 10])}
        </div>
        <HoldButton
          {...{ control }}
          label="Hold to run the step"
          why={why ?? (isWrong ? "choose two velocities" : undefined)}
          onHold={start}
          onRelease={stop}
        />
        <p className="hint" role="status">
          {words}
        </p>
        {now && last && (
          <Compared
            {...{ others, last }}
            onChoose={(comparedAtMs) => void context.setState({ comparedAtMs }).catch(reportError)}
            onSave={() => saveFile("step-test.csv", csvOfSteps([now, last], unit))}
          />
        )}
      </div>
      <div className="motor-step">
        <p className="legend">
          <span className="trace-2">
            <i />
            {now ? `this, ${timeOf(now)}` : "this"}
          </span>
          <span className="trace-3">
            <i className="dash" />
            {last ? `${last === others[0] ? "last" : "earlier"}, ${timeOf(last)}` : "last: none yet"}
          </span>
        </p>
        <StepChart {...{ now, last, unit }} />
        <Figures {...{ now, last }} />
      </div>
    </>
  );
}

const timeOf = ({ atMs }: StepTest): string => clockWithSeconds(new Date(atMs));

type ComparedProps = {
  others: readonly StepTest[];
  last: StepTest;
  onChoose: (atMs: number) => void;
  onSave: () => void;
};

/** Which of the earlier steps stands beside the newest one. */
function Compared({ others, last, onChoose, onSave }: ComparedProps) {
  const id = useId();
  return (
    <div className="motor-compared">
      <label className="control-label" htmlFor={id}>
        Compared with
      </label>
      <Select id={id} value={last.atMs} onChange={({ target }) => onChoose(Number(target.value))}>
        {others.map((one) => (
          <option key={one.atMs} value={one.atMs}>
            {timeOf(one)}, {one.from} → {one.to}
          </option>
        ))}
      </Select>
      <Button size="small" onClick={onSave}>
        Save both as CSV
      </Button>
    </div>
  );
}

/** From where it begins to the end of the step; a release on the way is not measured. */
function useStep(props: Props, { from, to, forS }: Settings) {
  const { context, commands, unit } = props;
  const track = useTrack(props, TRACK_MS);
  const latest = useRef(track);
  latest.current = track;
  const [words, setWords] = useState("Releasing ends the step. A step cut short is not measured.");
  const timer = useRef<ReturnType<typeof setInterval>>(undefined);
  useEffect(() => () => clearInterval(timer.current), []);

  const end = (said: string) => {
    clearInterval(timer.current);
    timer.current = undefined;
    setWords(said);
  };
  const stop = () => timer.current !== undefined && end("Released: a step cut short is not measured.");
  const go = (velocity: number, said: string) =>
    void commands.send("velocity", { velocity_rad_s: velocity }, said).then(({ ok, code, detail }) => {
      if (!ok && code !== "stopped") end(detail ?? "It was refused.");
    });
  const keep = (stepMs: number) => {
    const test: StepTest = { atMs: stepMs, from, to, ...curveOf(latest.current, stepMs, stepMs + 1_000 * forS) };
    void commands.send("idle", {}, "idle");
    if (test.curve.length < 3) return end("Nothing was measured.");
    // The next comparison is with the one before again.
    const kept = { ...withStep(readSteps(context.state()), test), comparedAtMs: null };
    void context.setState(kept as never).catch(reportError);
    end("Measured.");
  };

  const start = () => {
    const beganMs = context.clock.nowMs();
    let [stepMs, nearMs]: (number | undefined)[] = [undefined, undefined];
    go(from, `step from ${from} ${unit}`);
    setWords(`Goes to ${from} ${unit} first.`);
    timer.current = setInterval(() => {
      const nowMs = context.clock.nowMs();
      if (stepMs !== undefined) {
        if (nowMs - stepMs >= 1_000 * forS + 200) keep(stepMs);
        return;
      }
      const velocity = latest.current.valueAt("velocity_rad_s", latest.current.next - 1);
      nearMs = Math.abs(velocity - from) <= Math.max(NEAR, BAND * Math.abs(from)) ? (nearMs ?? nowMs) : undefined;
      if (nearMs === undefined && nowMs - beganMs > GIVE_UP_MS) {
        void commands.send("idle", {}, "idle");
        return end(`It does not get to ${from} ${unit}.`);
      }
      if (nearMs === undefined || nowMs - nearMs < READY_MS) return;
      stepMs = nowMs;
      setWords("Measures the step.");
      go(to, `step ${from} → ${to} ${unit}`);
    }, LOOK_MS);
  };
  return { words, start, stop };
}

type Both = { now: StepTest | undefined; last: StepTest | undefined };

function StepChart({ now, last, unit }: Both & { unit: string }) {
  const all = [now, last].filter((one) => one !== undefined);
  const values = all.flatMap(({ from, to, curve }) => [from, to, ...curve.map(([, velocity]) => velocity)]);
  const [low, high] = values.length === 0 ? [0, 40] : [Math.min(...values), Math.max(...values)];
  const room = 0.1 * Math.max(1, high - low);
  const endS = Math.max(1, ...all.map(({ curve }) => numberOf(curve.at(-1)?.[0]) ?? 0));
  const draw = (painter: Painter) => {
    if (now) {
      const band = BAND * Math.abs(now.to - now.from);
      const { context, palette, left, right, y } = painter;
      context.fillStyle = withAlpha(palette.colour("muted"), 0.25);
      context.fillRect(left, y(now.to + band), right - left, Math.max(1, y(now.to - band) - y(now.to + band)));
    }
    if (last) drawLine(painter, last.curve, { colour: "series-3", dash: [5, 3] });
    if (now) drawLine(painter, now.curve, { colour: "series-2", width: 2 });
    if (now) drawFigures(painter, now);
  };
  return (
    <div className="small-chart">
      <Chart
        label={now ? `Step from ${now.from} to ${now.to} ${unit}` : "No step was measured yet"}
        x={{ range: [0, endS], unit: "s" }}
        y={{ range: [low - room, high + room], unit }}
        draw={draw}
      />
    </div>
  );
}

/** Rise time and overshoot where they are on the curve. */
function drawFigures(painter: Painter, now: StepTest): void {
  const { riseS, overshootPct } = figuresOf(now);
  const size = now.to - now.from;
  const { context, palette, x, y } = painter;
  const at = (share: number) => now.curve.find(([, velocity]) => (velocity - now.from) / size >= share)?.[0];
  const [low, high] = [at(0.1), at(0.9)];
  if (riseS === undefined || low === undefined || high === undefined) return;
  const level = y(now.from + 0.1 * size);
  context.strokeStyle = palette.colour("text");
  line(context, x(low), level, x(high), level);
  words(painter, `rise ${Math.round(1_000 * riseS)} ms`, x(high) + 6, level + 4, { colour: "text" });
  if (overshootPct === undefined || overshootPct < 0.5) return;
  const peak = now.curve.reduce((best, point) => (point[1] * size > best[1] * size ? point : best));
  drawDots(painter, [peak], "text");
  words(painter, `+${overshootPct.toFixed(1)} %`, x(peak[0]) + 8, y(peak[1]) - 4, { colour: "text" });
}

const Figures = ({ now, last }: Both) => (
  <table className="small-table">
    <thead>
      <tr>
        <th scope="col">Figure</th>
        <th scope="col" className="num">
          This
        </th>
        <th scope="col" className="num">
          Last
        </th>
        <th scope="col" className="num">
          Change
        </th>
      </tr>
    </thead>
    <tbody>
      {rowsOf(now && figuresOf(now), last && figuresOf(last)).map(({ name, now: is, last: was, change, tone }) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          <td className="num">{is}</td>
          <td className="num">{was}</td>
          <td className={`num ${tone ?? ""}`}>{change}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
