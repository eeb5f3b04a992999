import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import { Icon } from "../../parts/icon.tsx";
import type { Devices } from "../devices/devices.ts";
import { useDevicesStatus } from "./use-devices.ts";

/** Whoever may only look holds the button for this long, so that a stray touch stops nothing. */
const HOLD_MS = 600;

type Props = { devices: Devices; size?: "small"; words?: string };

/** Stops everything in the workspace, at once when it is pressed, without a question. It also works during a replay. */
export function StopButton({ devices, size, words = "Stop" }: Props) {
  const { mayControl } = useDevicesStatus(devices);
  const [isHeld, setHeld] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const stop = () => void devices.stop();

  const down = () => {
    if (mayControl) return stop();
    setHeld(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(stop, HOLD_MS);
  };
  const up = () => {
    setHeld(false);
    clearTimeout(timer.current);
  };
  useEffect(() => () => clearTimeout(timer.current), []);

  const isKey = ({ key }: KeyboardEvent) => key === " " || key === "Enter";
  return (
    <button
      className={["btn", "stop-all", size, isHeld && "held"].filter(Boolean).join(" ")}
      type="button"
      title={`Stops every device of this workspace. ${mayControl ? "Escape twice does the same. " : ""}It does not replace the switch in the supply.`}
      onPointerDown={(event: PointerEvent<HTMLButtonElement>) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        down();
      }}
      onPointerUp={up}
      onPointerCancel={up}
      onKeyDown={(event) => {
        if (isKey(event) && !event.repeat) down();
      }}
      onKeyUp={(event) => isKey(event) && up()}
      onBlur={up}
    >
      <Icon name="stop" />
      <span>{mayControl ? words : "Hold to stop"}</span>
    </button>
  );
}
