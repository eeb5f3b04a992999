import { useState } from "react";
import { limitsOf } from "../../controls/params.ts";
import { Slider } from "../../controls/slider.tsx";
import { Readout, Readouts, useValues } from "../../controls/values.tsx";
import { usePermission } from "../../controls/why-not.ts";
import { type DeviceContent, devicePanel } from "../../device-panel/device-panel.tsx";
import { HoldButton } from "../../device-panel/hold-button.tsx";
import { numberWords } from "../../parts/plot/words.ts";

export const mount = devicePanel({ noun: "motor", Content: Motor });

const VELOCITY = "velocity_rad_s";
const STEP = 5;

/** A target that is sent while it is held, and everything that the motor measures. */
function Motor(props: DeviceContent) {
  const { device, capability, commands } = props;
  const { control, why } = usePermission(props, "moves");
  const values = useValues(props);
  const [target, setTarget] = useState(20);
  const limits = limitsOf(capability, "velocity", VELOCITY, [-100, 100]);
  const unit = capability.fields[VELOCITY]?.unit ?? "rad/s";
  return (
    <div className="control-panel">
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
      <Readouts isLost={device.state === "lost"}>
        {Object.entries(capability.fields).map(([name, { unit: each }]) => (
          <Readout key={name} label={labelOf(name, each)} field={name} value={values[name]} unit={each} />
        ))}
      </Readouts>
    </div>
  );
}

const UNIT_ENDS = /_(rad_s|rad|a|nm|v|c|s|m|hz|w)$/;
const labelOf = (name: string, unit: string | undefined): string =>
  (unit === undefined ? name : name.replace(UNIT_ENDS, "")).replaceAll("_", " ");
