import "./motor.css";
import type { Field } from "@backplane/contract/devices";
import type { JsonData } from "@backplane/contract/panels";
import { useEffect, useId, useState } from "react";
import { type DeviceContent, devicePanel } from "../../device-panel/device-panel.tsx";
import { HoldButton } from "../../device-panel/hold-button.tsx";
import { useClockMode, useControl } from "../../device-panel/use-devices.ts";

export const mount = devicePanel({ noun: "motor", Content: Motor });

const VELOCITY = "velocity_rad_s";
const SHOWN_EVERY_HZ = 10;
const STEP = 5;

/** A target that is sent while it is held, and everything that the motor measures. */
function Motor({ context, device, capability, commands }: DeviceContent) {
  const { control, state } = useControl(context.devices, device.id);
  const mode = useClockMode(context);
  const [target, setTarget] = useState(20);
  const limits = limitsOf(capability.commands.velocity?.params, capability.fields[VELOCITY]);
  const unit = capability.fields[VELOCITY]?.unit ?? "rad/s";
  const id = useId();
  const why = whyNot({ ...state, isArmed: device.isArmed, isReplay: mode === "replay" });
  return (
    <div className="motor">
      {capability.commands.velocity && (
        <div className="motor-side">
          <label htmlFor={id}>
            Target <b>{signed(String(target))}</b> {unit}
          </label>
          <input
            id={id}
            type="range"
            min={limits[0]}
            max={limits[1]}
            step={STEP}
            value={target}
            aria-valuetext={`${target} ${unit}`}
            onChange={(event) => setTarget(Number(event.target.value))}
          />
          <p className="hint">
            {signed(String(limits[0]))} to {limits[1]} {unit}. Nothing is sent until it is held.
          </p>
          <HoldButton
            control={control}
            label="Hold to run"
            why={why}
            onHold={() => void commands.send("velocity", { [VELOCITY]: target }, `velocity ${target} ${unit}`)}
          />
        </div>
      )}
      <Readouts {...{ context, device, capability }} />
    </div>
  );
}

type Why = { stopped: unknown; mayControl: boolean; isMine: boolean; isArmed: boolean; isReplay: boolean };

function whyNot({ stopped, mayControl, isMine, isArmed, isReplay }: Why): string | undefined {
  if (isReplay) return "replay: commands are off";
  if (stopped) return "stopped";
  if (!mayControl) return "you can only look";
  if (!isMine) return "take control first";
  return isArmed ? undefined : "arm first";
}

const numberIn = (value: unknown, other: number): number => (typeof value === "number" ? value : other);

/** Those of the command, else those of what is measured. */
function limitsOf(params: unknown, field: Field | undefined): [number, number] {
  const velocity = (params as { properties?: Record<string, { minimum?: unknown; maximum?: unknown }> } | undefined)
    ?.properties?.[VELOCITY];
  return [numberIn(velocity?.minimum, field?.min ?? -100), numberIn(velocity?.maximum, field?.max ?? 100)];
}

/** The last values. A value that is missing is never shown as 0. */
function Readouts({ context: { devices }, device, capability }: Omit<DeviceContent, "commands">) {
  const [values, setValues] = useState<Record<string, JsonData | null>>({});
  useEffect(
    () =>
      devices.subscribe(
        { device: device.id, capability: capability.id, rateHz: SHOWN_EVERY_HZ, historyMs: 1_000 },
        ({ fields, isReset }) =>
          setValues((before) => ({
            ...(isReset ? {} : before),
            ...Object.fromEntries(Object.entries(fields).map(([name, column]) => [name, column.at(-1) ?? null])),
          })),
      ),
    [devices, device.id, capability.id],
  );
  return (
    <dl className="readouts" data-lost={device.state === "lost" || undefined}>
      {Object.entries(capability.fields).map(([name, { unit }]) => (
        <div key={name}>
          <dt>{labelOf(name, unit)}</dt>
          <dd data-field={name}>
            {shown(values[name])} <small>{unit}</small>
          </dd>
        </div>
      ))}
    </dl>
  );
}

const UNIT_ENDS = /_(rad_s|rad|a|nm|v|c|s|m|hz|w)$/;
const labelOf = (name: string, unit: string | undefined): string =>
  (unit === undefined ? name : name.replace(UNIT_ENDS, "")).replaceAll("_", " ");

/** A true minus, and none before what is rounded to zero. */
const signed = (text: string): string => (Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−"));

function shown(value: JsonData | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return typeof value === "string" ? value : JSON.stringify(value);
  return signed(Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(1));
}
