import "./speed-controller.css";
import type { JsonData } from "@backplane/contract/panels";
import { useEffect, useRef, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { clock } from "../../../parts/times.ts";
import { drawDots, drawLimit, drawLine } from "../../controls/draw.ts";
import { numberOf } from "../../controls/json.ts";
import { limitsOf } from "../../controls/params.ts";
import { Slider } from "../../controls/slider.tsx";
import { useTrack } from "../../controls/use-track.ts";
import { Readout, Readouts, useValues, type Values } from "../../controls/values.tsx";
import { usePermission } from "../../controls/why-not.ts";
import { type DeviceContent, devicePanel } from "../../device-panel/device-panel.tsx";
import { HoldButton } from "../../device-panel/hold-button.tsx";
import { Chart } from "../../parts/plot/chart.tsx";
import type { Painter } from "../../parts/plot/paint.ts";
import { numberWords } from "../../parts/plot/words.ts";
import { usePanelState } from "../react-panel.tsx";
import { settingsOf } from "./settings.ts";
import { SettingsDialog } from "./settings-dialog.tsx";
import {
  changeWords,
  currentAt,
  endsEarly,
  type Fit,
  fitOf,
  keptOf,
  measure,
  readSweep,
  SETTLE_MS,
  STEP_MS,
  SWEEP_STEPS,
  SWEEP_TO_PCT,
  type Sweep,
  type SweepEnds,
  type SweepPoint,
} from "./sweep.ts";

export const mount = devicePanel({ noun: "speed controller", Content: SpeedController });

const LOOK_MS = 50;
const TRACK_MS = 10_000;
const FIRST_ENDS: SweepEnds = { currentA: 12, temperatureC: 80, voltageV: 14 };
const BEEP = 3;

/** A throttle that is sent while it is held, and a guided sweep: both stop when the button is let go. */
function SpeedController(props: DeviceContent) {
  const { capability, commands, device, context } = props;
  const values = useValues(props);
  const { control, why } = usePermission(props, "moves");
  const beep = usePermission(props, "changes");
  const [target, setTarget] = useState(10);
  const [ends, setEnds] = useState(FIRST_ENDS);
  const limits = limitsOf(capability, "throttle", "throttle_pct");
  const throttle = (pct: number) => commands.send("throttle", { throttle_pct: pct }, `throttle ${pct} %`);
  const sweep = useSweep(props, values, ends, throttle);
  const kept = usePanelState(context);
  const before = readSweep(sweep.compared === undefined ? kept.last : sweep.compared);
  const points = sweep.compared === undefined ? (readSweep(kept.next)?.points ?? []) : sweep.points;
  const settings = settingsOf(capability.commands.settings, values.settings);
  const [isChanging, setChanging] = useState(false);
  const bad = numberOf(values.bad_frames);
  const canDrive = capability.commands.throttle !== undefined;
  return (
    <div className="control-panel esc">
      <div className="control-side">
        {canDrive ? (
          <>
            <Slider
              label="Throttle"
              unit="%"
              value={target}
              {...{ limits }}
              step={1}
              measured={numberOf(values.throttle_pct)}
              onChange={setTarget}
            />
            <HoldButton {...{ control, why }} label="Hold to spin" onHold={() => void throttle(target)} />
            <div className="control-head">
              <h3>Sweep</h3>
              <span className="grow" />
              <span className="hint">0 to {SWEEP_TO_PCT} %</span>
            </div>
            <span className="pins wide" aria-hidden="true">
              {SWEEP_STEPS.map((step, i) => (
                <i key={step} className={i < sweep.points.length ? "on" : ""} />
              ))}
            </span>
            <p className="hint" role="status">
              {sweep.words}
            </p>
            <HoldButton {...{ control, why }} label="Hold to sweep" onHold={sweep.start} onRelease={sweep.stop} />
            <p className="hint">Releasing sets the throttle to 0; measured points stay.</p>
            <h3 className="control-label">Ends early at</h3>
            <Ends {...{ ends }} onChange={setEnds} />
          </>
        ) : (
          <p className="hint">It only measures: what drives it is not connected here.</p>
        )}
        {bad !== undefined && (
          <p className={bad > 0 ? "esc-bad warn" : "esc-bad"}>
            {bad} bad checksums of {numberWords(numberOf(values.frames) ?? Number.NaN)}
          </p>
        )}
        <p className="row">
          {capability.commands.beep && (
            <Button
              size="small"
              disabled={beep.why !== undefined}
              onClick={() => void commands.send("beep", { tone: BEEP }, "beep")}
            >
              Beep
            </Button>
          )}
          {settings.length > 0 && (
            <Button size="small" onClick={() => setChanging(true)}>
              Settings
            </Button>
          )}
        </p>
        {isChanging && (
          <SettingsDialog
            {...{ settings, why: beep.why }}
            onSave={(changed) => commands.send("settings", changed, "settings")}
            onClose={() => setChanging(false)}
          />
        )}
      </div>
      <div className="esc-measured">
        <Readouts isLost={device.state === "lost"}>
          <Readout label="throttle" field="throttle_pct" value={values.throttle_pct} unit="%" digits={0} />
          <Readout label="eRPM" field="erpm" value={values.erpm} unit="" digits={0} />
          <Readout label="current" field="current_a" value={values.current_a} unit="A" digits={2} />
          <Readout label="supply" field="voltage_v" value={values.voltage_v} unit="V" digits={1} />
          <Readout label="case" field="temperature_c" value={values.temperature_c} unit="°C" digits={0} />
          <Readout label="consumed" field="consumed_mah" value={values.consumed_mah} unit="mAh" digits={0} />
        </Readouts>
        {canDrive && <SweepView {...{ points, before, ends }} />}
      </div>
    </div>
  );
}

const ENDS = [
  ["currentA", "current, A", 0.5, 200],
  ["temperatureC", "case, °C", 30, 150],
  ["voltageV", "supply under, V", 0, 100],
] as const;

const Ends = ({ ends, onChange }: { ends: SweepEnds; onChange: (ends: SweepEnds) => void }) => (
  <div className="number-inputs">
    {ENDS.map(([name, label, min, max]) => (
      <label key={name}>
        {label}
        <input
          type="number"
          {...{ min, max, step: 0.5 }}
          value={ends[name]}
          onChange={({ target }) =>
            target.validity.valid && target.value !== "" && onChange({ ...ends, [name]: target.valueAsNumber })
          }
        />
      </label>
    ))}
  </div>
);

/** Goes up step by step while it is held; what was measured is kept in the tab when it ends. */
function useSweep(
  props: DeviceContent,
  values: Values,
  ends: SweepEnds,
  throttle: (pct: number) => Promise<{ ok: boolean; code?: string | undefined; detail?: string | undefined }>,
) {
  const { context, commands } = props;
  const track = useTrack(props, TRACK_MS);
  const [points, setPoints] = useState<readonly SweepPoint[]>([]);
  const [words, setWords] = useState("Nothing is sent until it is held.");
  /** The sweep before the one of this page; undefined: none was begun here, null: there was none before it. */
  const [compared, setCompared] = useState<JsonData>();
  const latest = useRef({ track, values, ends, throttle });
  latest.current = { track, values, ends, throttle };
  const running = useRef<{ timer: ReturnType<typeof setInterval>; found: SweepPoint[] }>(undefined);

  function finish(said: string): void {
    const one = running.current;
    if (!one) return;
    clearInterval(one.timer);
    running.current = undefined;
    setWords(said);
    const sweep: Sweep = { atMs: context.clock.nowMs(), points: one.found };
    const { next } = context.state();
    // The sweep before this one stays to be compared with.
    const kept =
      one.found.length >= 4 ? { next: keptOf(sweep), ...(next === undefined ? {} : { last: next }) } : undefined;
    if (kept) void context.setState(kept as never).catch(reportError);
  }
  const endBy = (why: string) => {
    void commands.send("stop", {}, "stop");
    finish(why);
  };

  const start = () => {
    finish("");
    setPoints([]);
    setCompared(context.state().next ?? null);
    const found: SweepPoint[] = [];
    let [step, beganMs] = [0, 0];
    const begin = () => {
      const pct = SWEEP_STEPS[step];
      if (pct === undefined) return endBy(`Done: ${found.length} points.`);
      beganMs = context.clock.nowMs();
      setWords(`step ${step + 1} of ${SWEEP_STEPS.length}`);
      void latest.current.throttle(pct).then(({ ok, code, detail }) => {
        if (!ok && code !== "stopped" && running.current?.found === found) endBy(detail ?? "It was refused.");
      });
    };
    const look = () => {
      const { values: now, ends: limits, track: samples } = latest.current;
      const seen = {
        currentA: numberOf(now.current_a),
        temperatureC: numberOf(now.temperature_c),
        voltageV: numberOf(now.voltage_v),
      };
      const why = endsEarly(seen, limits);
      if (why !== undefined) return endBy(`Ended at ${SWEEP_STEPS[step]} %: ${why}`);
      if (context.clock.nowMs() - beganMs < STEP_MS) return;
      const point = measure(samples, beganMs + SETTLE_MS, SWEEP_STEPS[step] as number);
      if (!point) return endBy("Nothing was measured.");
      found.push(point);
      setPoints([...found]);
      step += 1;
      begin();
    };
    running.current = { timer: setInterval(look, LOOK_MS), found };
    begin();
  };
  const stop = () => finish(`Released after ${running.current?.found.length ?? 0} points.`);
  useEffect(() => () => clearInterval(running.current?.timer), []);
  return { points, words, compared, start, stop };
}

/** Current over throttle of this sweep and the last one, the fit, and what has changed. */
function SweepView({
  points,
  before,
  ends,
}: {
  points: readonly SweepPoint[];
  before: Sweep | undefined;
  ends: SweepEnds;
}) {
  const fit = fitOf(points);
  const last = before && fitOf(before.points);
  const highA = 1.1 * Math.max(ends.currentA, ...points.map(({ currentA }) => currentA));
  const highErpm = Math.max(1_000, ...points.map(({ erpm }) => erpm));
  const draw = (painter: Painter) => {
    const curve = (one: Fit) => SWEEP_STEPS.map((pct) => [pct, currentAt(one, pct)] as const);
    drawLimit(painter, ends.currentA, `sweep ends at ${ends.currentA} A`);
    if (last) drawLine(painter, curve(last), { colour: "series-3", dash: [5, 3] });
    if (fit) drawLine(painter, curve(fit), { colour: "series-1", dash: [2, 2], width: 1 });
    drawLine(
      painter,
      points.map(({ throttlePct, erpm }) => [throttlePct, (erpm / highErpm) * highA * 0.6] as const),
      { colour: "series-2" },
    );
    drawDots(
      painter,
      points.map(({ throttlePct, currentA }) => [throttlePct, currentA] as const),
      "series-1",
    );
  };
  const change = changeWords(fit, last);
  return (
    <>
      <p className="legend">
        <span className="trace-1">
          <i />
          current, A
        </span>
        <span className="trace-3">
          <i className="dash" />
          current, last sweep
        </span>
        <span className="trace-2">
          <i />
          speed, to {numberWords(highErpm)} eRPM
        </span>
      </p>
      <div className="small-chart">
        <Chart
          label={`Current over throttle, ${points.length} points`}
          x={{ range: [0, 100], unit: "%" }}
          y={{ range: [0, highA], unit: "A" }}
          draw={draw}
        />
      </div>
      <dl className="esc-fit">
        <dt>Fit</dt>
        <dd data-field="fit">
          {fit ? (
            <>
              {fit.a.toFixed(2)} A + {fit.b.toFixed(1)} A · u<sup>{fit.c.toFixed(2)}</sup>
              <span className="hint">
                {" "}
                R² {fit.r2.toFixed(3)} over {points.length} points
              </span>
            </>
          ) : (
            <span className="hint">after four points</span>
          )}
        </dd>
        <dt>Last</dt>
        <dd>
          {change ?? <span className="hint">no sweep to compare with</span>}
          {change !== undefined && before && (
            <span className="hint"> than at {clock(new Date(before.atMs), new Date())}</span>
          )}
        </dd>
      </dl>
    </>
  );
}
