import "./oven-data.css";
import type { JsonObject } from "@backplane/contract/panels";
import { type CSSProperties, useCallback, useMemo, useRef, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import type { DeviceContent } from "../../device-panel/device-panel.tsx";
import { useClockMode, useControl } from "../../device-panel/use-devices.ts";
import { Menu } from "../../parts/menu.tsx";
import { Chart } from "../../parts/plot/chart.tsx";
import type { Painter } from "../../parts/plot/paint.ts";
import { Swatch } from "../../parts/plot/time-plot.tsx";
import { changeWords, numberWords, timeWords } from "../../parts/plot/words.ts";
import { numbersOf } from "../../plot-panel/fields.ts";
import { type PlotBody, plotPanel, SLOW_WINDOWS } from "../../plot-panel/plot-panel.tsx";
import { Reading, Readings } from "../../plot-panel/readings.tsx";
import { usePanelState } from "../react-panel.tsx";
import { drawRun, minuteWords } from "./draw-run.ts";
import { ProfileHandles } from "./profile-handles.tsx";
import {
  aboveLiquidusS,
  type Limits,
  type Measured,
  type Point,
  peakC,
  predict,
  processWindowIndex,
  rampAt,
  SAC305,
  soakS,
  steepestCS,
  WINDOWS,
} from "./reflow.ts";
import { comparedOf, MAX_RUNS, type Run, runsOf } from "./runs.ts";

export const mount = plotPanel({
  noun: "oven",
  windows: SLOW_WINDOWS,
  usualS: 3_600,
  isControlling: true,
  plotted: ({ capability }) => numbersOf(capability),
  Body: OvenData,
  Tools,
});

/** The profile of the tab, whoever wrote it; SAC305 unless there is one. */
function profileOf({ profile }: JsonObject): readonly Point[] {
  return Array.isArray(profile) && profile.length > 2 ? (profile as unknown as Point[]) : SAC305;
}

function Tools({ context, device, commands, capability }: DeviceContent) {
  const profile = profileOf(usePanelState(context));
  const mode = useClockMode(context);
  const { state } = useControl(context.devices, device.id);
  const mayStart = mode === "live" && !state.stopped && state.isMine && device.isArmed;
  const params = { times_s: profile.map(({ t_s }) => t_s), temperatures_c: profile.map(({ c }) => c) };
  const start = () => commands.send("start", params, "start of a run");
  return (
    <>
      {capability.commands.start && (
        <Button size="small" disabled={!mayStart} onClick={() => void start()}>
          Start run
        </Button>
      )}
      {capability.commands.abort && (
        <Button
          size="small"
          look="danger"
          disabled={mode === "replay"}
          onClick={() => void commands.send("abort", {}, "abort")}
        >
          Abort
        </Button>
      )}
    </>
  );
}

const TOP_C = 280;
const MINUTE_S = 60;

function OvenData({ context, device, state, track, shown, series, times }: PlotBody) {
  const [draft, setDraft] = useState<readonly Point[]>();
  const kept = profileOf(state);
  const profile = draft ?? kept;
  const sample = shown();
  const past = (field: string) => series.find(({ key }) => key === field)?.history;
  const runs = runsOf(track, past, times);
  const isRunning = !Number.isNaN(track.valueAt("run", sample));
  const run = runs.at(-1);
  const before = runs.slice(0, -1);
  const earlier = comparedOf(before, state.comparedRuns);
  const ahead = isRunning && run ? predict(run.board, profile) : undefined;
  const endS = Math.max(profile.at(-1)?.t_s ?? 0, ...runs.map(({ board }) => board.at(-1)?.s ?? 0));
  const last = Math.ceil(endS / MINUTE_S) * MINUTE_S;
  const [xAxis, yAxis] = useMemo(
    () => [
      { range: [0, last] as const, unit: "", step: MINUTE_S, words: minuteWords },
      { range: [0, TOP_C] as const, unit: "°C" },
    ],
    [last],
  );
  const change = (next: readonly Point[]) => {
    setDraft(undefined);
    void context.setState({ profile: next.map(({ t_s, c }) => ({ t_s, c })) }).catch(reportError);
  };
  const key = `${JSON.stringify(profile)} ${sample} ${track.revision} ${runs.length} ${earlierWords(earlier)} ${isRunning}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is all that they depend on
  const draw = useCallback((painter: Painter) => drawRun(painter, { profile, run, isRunning, earlier, ahead }), [key]);
  const value = (field: string) => numberWords(track.valueAt(field, sample), 1);
  return (
    <>
      <div className="plot-head oven-head">
        <Legend slot={2} word="Board" value={value("board_c")} field="board_c" />
        <Legend slot={1} word="Air" value={value("air_c")} field="air_c" />
        <Legend slot={3} word="Profile" value={value("target_c")} field="target_c" />
        {earlier.length > 0 && <Legend slot={8} word={earlierWords(earlier)} />}
        <span className="grow" />
        {before.length > 0 && (
          <RunsMenu
            {...{ before, earlier }}
            onChoose={(numbers) => void context.setState({ comparedRuns: numbers ?? null }).catch(reportError)}
          />
        )}
        <span className="wide-only">
          heater <b>{numberWords(track.valueAt("heater_pct", sample))} %</b> fan{" "}
          <b>{numberWords(track.valueAt("fan_pct", sample))} %</b>
        </span>
      </div>
      <div className="oven-chart">
        <Chart label={`The runs of ${device.name} and their profile`} x={xAxis} y={yAxis} draw={draw} />
        {!isRunning && <ProfileHandles {...{ profile, x: xAxis, y: yAxis }} onDraft={setDraft} onChange={change} />}
      </div>
      <Figures {...{ run, ahead, isRunning }} isLost={device.state !== "ready"} />
      <div className="panel-status">
        <span>{kept === SAC305 ? "Profile SAC305" : "Profile changed here"}</span>
        {kept !== SAC305 && !isRunning && (
          <button className="oven-reset" type="button" onClick={() => void context.setState({ profile: null })}>
            Back to SAC305
          </button>
        )}
        <span className="grow" />
        <span>{runWords(run, isRunning, profile)}</span>
      </div>
    </>
  );
}

const earlierWords = (earlier: readonly Run[]): string => {
  const numbers = earlier.map(({ number }) => number);
  return numbers.length === 1 ? `Run ${numbers[0]}` : `Runs ${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}`;
};

type RunsMenuProps = {
  before: readonly Run[];
  earlier: readonly Run[];
  /** Undefined: all. */
  onChoose: (numbers: number[] | undefined) => void;
};

/** Which earlier runs are laid under the newest one. */
function RunsMenu({ before, earlier, onChoose }: RunsMenuProps) {
  const anchor = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  const shown = earlier.map(({ number }) => number);
  const items = [
    { label: "All earlier runs", isCurrent: shown.length === before.length, onSelect: () => onChoose(undefined) },
    { label: "None", isCurrent: shown.length === 0, onSelect: () => onChoose([]) },
    ...before.toReversed().map(({ number, startMs, board }, i) => ({
      label: `Run ${number}, ${timeWords(startMs)}`,
      hint: `peak ${numberWords(peakC(board))} °C`,
      isCurrent: shown.includes(number),
      startsGroup: i === 0,
      onSelect: () =>
        onChoose(shown.includes(number) ? shown.filter((one) => one !== number) : [...shown, number].slice(-MAX_RUNS)),
    })),
  ];
  return (
    <>
      <Button ref={anchor} size="small" look="quiet" expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Runs
      </Button>
      {isOpen && anchor.current && (
        <Menu label="Runs to compare with" anchor={anchor.current} align="end" {...{ items }} onClose={close} />
      )}
    </>
  );
}

function runWords(run: Run | undefined, isRunning: boolean, profile: readonly Point[]): string {
  if (!run) return "No run yet";
  const started = `Run ${run.number} started ${timeWords(run.startMs)}`;
  if (!isRunning) return started;
  const left = Math.max(0, (profile.at(-1)?.t_s ?? 0) - (run.board.at(-1)?.s ?? 0));
  return `${started}, ends in ${minuteWords(left)}`;
}

type LegendProps = { slot: number; word: string; value?: string; field?: string };

const Legend = ({ slot, word, value, field }: LegendProps) => (
  <span className="row">
    <Swatch slot={slot} />
    {word} {value !== undefined && <b data-field={field}>{value}</b>}
  </span>
);

type FiguresProps = { run: Run | undefined; ahead: Measured[] | undefined; isRunning: boolean; isLost: boolean };

/** What the run is judged by, each beside its window. */
function Figures({ run, ahead, isRunning, isLost }: FiguresProps) {
  const board = run?.board ?? [];
  const whole = ahead ? [...board, ...ahead.slice(1)] : board;
  const isKnown = board.length > 0;
  const above = isKnown ? aboveLiquidusS(whole) : Number.NaN;
  const peak = isKnown && (ahead !== undefined || !isRunning) ? peakC(whole) : Number.NaN;
  const soak = isKnown ? soakS(whole) : Number.NaN;
  const steepest = steepestCS(board);
  const index = processWindowIndex([
    [above, WINDOWS.aboveS],
    [peak, WINDOWS.peakC],
    [steepest, WINDOWS.rampCS],
    [soak, WINDOWS.soakS],
  ]);
  const said = ahead ? "predicted" : "";
  const ramp = rampAt(board, board.at(-1)?.s ?? 0);
  return (
    <Readings isLost={isLost}>
      <Figure name="Above liquidus" value={above} window={WINDOWS.aboveS} unit="s">
        {ahead ? `${said}, ${numberWords(aboveLiquidusS(board))} s so far` : "45 to 75 s"}
      </Figure>
      <Figure name={ahead ? "Predicted peak" : "Peak"} value={peak} window={WINDOWS.peakC} unit="°C">
        235 to 250 °C
      </Figure>
      <Figure name="Steepest ramp" value={steepest} digits={1} window={WINDOWS.rampCS} unit="°C/s">
        {isRunning && !Number.isNaN(ramp) ? `now ${changeWords(ramp, 1)}, at most 3.0` : "at most 3.0 °C/s"}
      </Figure>
      <Figure name="Soak, 150 to 180" value={soak} window={WINDOWS.soakS} unit="s">
        60 to 120 s
      </Figure>
      <Figure name="Window used" value={index} window={[0, 100]} unit="%">
        at most 100 %
      </Figure>
    </Readings>
  );
}

type FigureProps = {
  name: string;
  value: number;
  window: Limits;
  unit: string;
  digits?: number;
  children: string;
};

/** The window is the middle of the bar, and the value a tick in it. */
function Figure({ name, value, window: [low, high], unit, digits = 0, children }: FigureProps) {
  const isOut = value < low || value > high;
  const at = Math.max(0, Math.min(1, 0.2 + (0.6 * (value - low)) / (high - low)));
  return (
    <Reading name={name} value={numberWords(value, digits)} unit={unit} tone={isOut ? "warn" : undefined}>
      <span className="oven-window" aria-hidden="true">
        {!Number.isNaN(value) && <i style={{ "--at": at } as CSSProperties} />}
      </span>
      {children}
    </Reading>
  );
}
