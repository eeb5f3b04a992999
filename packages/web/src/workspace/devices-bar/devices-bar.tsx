import "../device-panel/device-panel.css";
import "./devices-bar.css";
import { useEffect } from "react";
import type { WorkspaceName } from "../calls.ts";
import { StopButton } from "../device-panel/stop-button.tsx";
import { useDeviceList, useDevicesStatus } from "../device-panel/use-devices.ts";
import type { Devices } from "../devices/devices.ts";
import { RecordButton } from "./record-button.tsx";
import { createTwice } from "./twice.ts";

type Props = { workspace: WorkspaceName; devices: Devices; say: { fault(words: string): void } };

/** In the bar of the workspace, whatever panel is open: record, and stop at the right end. */
export function DevicesBar({ workspace, devices, say }: Props) {
  const { stopped, mayControl, stopAnswer } = useDevicesStatus(devices);
  const list = useDeviceList(devices);
  useEscapeTwice(mayControl && list.length > 0, devices);
  if (list.length === 0 && !stopped) return null;
  const isSilent = typeof stopAnswer === "object" && Object.values(stopAnswer ?? {}).some(({ ok }) => !ok);
  return (
    <div className="devices-bar">
      {mayControl ? (
        <RecordButton {...{ workspace, devices, say }} />
      ) : (
        <span className="state off bar-view-only">View only</span>
      )}
      <span className="bar-line" aria-hidden="true" />
      <StopButton devices={devices} words={!stopped ? "Stop all" : isSilent ? "Stop again" : "Stopped"} />
    </div>
  );
}

/** Escape twice stops, also inside an editor or a dialog. Frames of other sites keep their keys. */
function useEscapeTwice(isOn: boolean, devices: Devices): void {
  useEffect(() => {
    if (!isOn) return;
    const isTwice = createTwice();
    const press = (event: KeyboardEvent) => {
      if (event.repeat || event.isComposing) return;
      if (isTwice(event.key === "Escape", event.timeStamp)) void devices.stop();
    };
    window.addEventListener("keydown", press, true);
    return () => window.removeEventListener("keydown", press, true);
  }, [isOn, devices]);
}
