import "./motor.css";
import { useState } from "react";
import { Segmented } from "../../../parts/segmented.tsx";
import { type Limits, limitsOf } from "../../controls/params.ts";
import { Slider } from "../../controls/slider.tsx";
import { Readout, Readouts, useValues } from "../../controls/values.tsx";
import { usePermission } from "../../controls/why-not.ts";
import { type DeviceContent, devicePanel } from "../../device-panel/device-panel.tsx";
import { HoldButton } from "../../device-panel/hold-button.tsx";
import { numberWords } from "../../parts/plot/words.ts";
import { Curves } from "./curves.tsx";
import { StepView } from "./step-view.tsx";

export const mount = devicePanel({ noun: "motor", Content: Motor });

const VELOCITY = "velocity_rad_s";
const STEP = 5;
const VIEWS = [
  ["run", "Run"],
  ["step", "Step test"],
] as const;

/** A target that is sent while it is held, or one step that is measured. */
function Motor(props: DeviceContent) {
  const { capability } = props;
  const [view, setView] = useState<"run" | "step">("run");
  const limits = limitsOf(capability, "velocity", VELOCITY, [-100, 100]);
  const unit = capability.fields[VELOCITY]?.unit ?? "rad/s";
  const canStep = capability.commands.velocity !== undefined && Object.hasOwn(capability.fields, VELOCITY);
  return (
    <div className="motor">
      {canStep && <Segmented label="View" choices={VIEWS} value={view} onChange={setView} />}
      <div className="control-panel">
        {view === "step" && canStep ? (
          <StepView {...props} {...{ limits, unit }} />
        ) : (
          <Run {...props} {...{ limits, unit }} />
        )}
      </div>
    </div>
  );
}

function Run(props: DeviceContent & { limits: Limits; unit: string }) {
  const { device, capability, commands, limits, unit } = props;
  const { control, why } = usePermission(props, "moves");
  const values = useValues(props);
  const [target, setTarget] = useState(20);
  return (
    <>
      {capability.commands.velocity && (
        <div className="control-side">
          <Slider label="Target" value={target} {...{ limits, unit }} step={STEP} onChange={setTarget} />
          <p className="hint">
            {numberWords(limits[0])} to {numberWords(limits[1])} {unit}. Nothing is sent until it is held.
          </p>
          <HoldButton
            {...{ control, why }}
            label="Hold to run"
            onHold={() => void commands.send("velocity", { [VELOCITY]: target }, `velocity ${target} ${unit}`)}
          />
        </div>
      )}
      <div className="motor-run">
        <Readouts isLost={device.state === "lost"}>
          {Object.entries(capability.fields).map(([name, { unit: each }]) => (
            <Readout key={name} label={labelOf(name, each)} field={name} value={values[name]} unit={each} />
          ))}
        </Readouts>
        {Object.hasOwn(capability.fields, VELOCITY) && <Curves {...props} />}
      </div>
    </>
  );
}

const UNIT_ENDS = /_(rad_s|rad|a|nm|v|c|s|m|hz|w)$/;
const labelOf = (name: string, unit: string | undefined): string =>
  (unit === undefined ? name : name.replace(UNIT_ENDS, "")).replaceAll("_", " ");
