import { LESSON_LIMITS, type LessonStep, type ScriptRun, type ValueCheck } from "@backplane/contract/panels";
import { createHold, fitsComparison, type Held } from "@backplane/kit/hold";
import { useEffect, useRef, useState } from "react";
import { State } from "../../../parts/state.tsx";
import { StartSimulator } from "../../device-panel/start-simulator.tsx";
import { useClockMode, useDeviceList, useDevicesStatus } from "../../device-panel/use-devices.ts";
import type { PanelContext } from "../../panel.ts";
import { digitsOf, numberWords } from "../../parts/plot/words.ts";
import { onScriptRun } from "../script-runner/runs.ts";
import { type CheckTarget, targetsOf } from "./targets.ts";

const LOOK_EVERY_MS = 100;
const PINS = 20;

type Props = {
  context: PanelContext;
  step: LessonStep;
  afterMs: number;
  onMet: (step: string, run?: ScriptRun) => void;
};

/** What the check of the current step sees now. It only shows: whether the step is done, the server says. */
export function StepCheck(props: Props) {
  const { check } = props.step;
  if (check?.type === "value") return <ValueWatch {...props} check={check} />;
  if (check?.type === "script") return <ScriptWatch {...props} path={check.path} />;
  return check ? <FileWatch {...props} path={check.path} contains={check.contains} /> : null;
}

function ScriptWatch({ step: { id, checkText }, onMet, path }: Props & { path: string }) {
  const [last, setLast] = useState<ScriptRun>();
  useEffect(
    () =>
      onScriptRun((run) => {
        if (run.path !== path) return;
        setLast(run);
        if (run.isOk) onMet(id, run);
      }),
    [id, path, onMet],
  );
  return (
    <p className="lesson-check">
      <State tone="off" word="Not yet" /> {last ? ranWords(last) : "Not run yet since this step began"}: {checkText}.
    </p>
  );
}

const ranWords = ({ isOk, result }: ScriptRun): string => {
  if (!isOk) return "It ended with an error";
  return result === null ? "It ended without a result" : `It resulted in ${valueWords(result)}`;
};

function FileWatch({ context, step, onMet, path, contains }: Props & { path: string; contains: string | null }) {
  const { onLog } = context;
  const { id } = step;
  useEffect(() => {
    onMet(id);
    return onLog((entries) => entries.some(({ source }) => source === "files") && onMet(id));
  }, [id, onLog, onMet]);
  return (
    <p className="lesson-check">
      <State tone="off" word="Not yet" /> <code>{path}</code>{" "}
      {contains === null ? "is not there." : <>does not contain “{contains}”.</>}
    </p>
  );
}

function ValueWatch({ context, check, ...props }: Props & { check: ValueCheck }) {
  const devices = useDeviceList(context.devices);
  const { mayControl } = useDevicesStatus(context.devices);
  const mode = useClockMode(context);
  const targets = targetsOf(devices, check);
  if (mode === "replay") return <p className="lesson-check">Nothing counts while a recording is shown.</p>;
  if (targets.length > 0) return <Watched key={keyOf(targets)} {...{ ...props, context, check, targets }} />;
  return (
    <div className="lesson-check">
      <p>
        {check.device === null ? "No device of this workspace" : <b>{check.device}</b>} has <code>{check.field}</code>{" "}
        of <code>{check.capability}</code> now.
      </p>
      {mayControl && check.device === null && (
        <StartSimulator {...{ context }} shows={[check.capability]} size="small" onStarted={() => {}} />
      )}
    </div>
  );
}

const keyOf = (targets: readonly CheckTarget[]): string =>
  targets.map(({ device, capability }) => `${device.id} ${capability.id}`).join();

type Best = Held & { target: CheckTarget };

function Watched({
  context,
  step,
  afterMs,
  onMet,
  check,
  targets,
}: Props & { check: ValueCheck; targets: CheckTarget[] }) {
  const { devices } = context;
  const [best, setBest] = useState<Best>();
  const latest = useRef({ targets, onMet });
  latest.current = { targets, onMet };
  const { id } = step;
  const { checkText } = step;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a check is the same while its text is
  useEffect(() => {
    const { compare, holdMs, field } = check;
    const watched = latest.current.targets.map((target) => ({ target, hold: newHold() }));
    function newHold() {
      return createHold(compare, holdMs, LESSON_LIMITS.maxGapMs);
    }
    const stops = watched.map((each) => {
      const { device, capability } = each.target;
      const want = { device: device.id, capability: capability.id, fields: [field], historyMs: holdMs + 1_000 };
      return devices.subscribe(want, ({ tMs, fields, isHistory, isReset }) => {
        if (isHistory || isReset) each.hold = newHold();
        tMs.forEach((at, i) => {
          const value = fields[field]?.[i];
          if (value === null || value === undefined || at <= afterMs) return;
          if (each.hold.take(at, value)) latest.current.onMet(id);
        });
      });
    });
    const timer = setInterval(() => {
      const seen = watched.map(({ target, hold }) => ({ target, ...hold.read() }));
      setBest(seen.toSorted((a, b) => (b.heldMs ?? -1) - (a.heldMs ?? -1))[0]);
    }, LOOK_EVERY_MS);
    return () => {
      clearInterval(timer);
      for (const stop of stops) stop();
    };
  }, [devices, id, checkText, afterMs]);

  return <Measured check={check} best={best} />;
}

function valueWords(value: unknown): string {
  if (typeof value !== "number") return String(value);
  const rounded = Number(value.toPrecision(3));
  return numberWords(rounded, digitsOf([rounded]));
}

function Measured({ check: { compare, field, holdMs }, best }: { check: ValueCheck; best: Best | undefined }) {
  if (!best || best.lastValue === undefined) return <p className="lesson-check">Waiting for a value…</p>;
  const { target, lastValue, heldMs } = best;
  const fits = fitsComparison(compare, lastValue);
  const heldS = Math.min(heldMs ?? 0, holdMs) / 1_000;
  const text = `${heldS.toFixed(1)} of ${(holdMs / 1_000).toFixed(1)} s`;
  const full = holdMs === 0 ? 0 : Math.round((heldS * 1_000 * PINS) / holdMs);
  return (
    <div className="lesson-check">
      <div className="lesson-measured">
        <span>
          {target.device.name}{" "}
          <b>
            {valueWords(lastValue)} {target.capability.fields[field]?.unit ?? ""}
          </b>
        </span>
        <span className="grow" />
        <State tone={fits ? "ok" : "off"} word={fits ? "in range" : "not in range"} />
        {holdMs > 0 && <span className="lesson-held">{text}</span>}
      </div>
      {holdMs > 0 && (
        <div
          className="lesson-pins wide"
          role="progressbar"
          aria-label="Held"
          aria-valuemin={0}
          aria-valuemax={holdMs / 1_000}
          aria-valuenow={heldS}
          aria-valuetext={text}
        >
          {Array.from({ length: PINS }, (_, pin) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a pin is its place
            <i key={pin} className={pin < full ? "on" : ""} />
          ))}
        </div>
      )}
    </div>
  );
}
