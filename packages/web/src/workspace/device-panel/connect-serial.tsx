import { SERIAL_KINDS } from "@backplane/contract/devices";
import { useState, useSyncExternalStore } from "react";
import { useWork } from "../../calls/use-action.ts";
import { Button } from "../../parts/button.tsx";
import { FaultLine } from "../../parts/field.tsx";
import type { DeviceContext } from "../panel.ts";

type Props = {
  context: Pick<DeviceContext, "devices">;
  shows: readonly string[];
  onConnected: (device: string) => void;
};

/** A device at a serial port of this computer, where the browser lets pages use them. It stays while this tab is seen. */
export function ConnectSerial({ context: { devices }, shows, onConnected }: Props) {
  const { serial } = devices;
  const { device, ended } = useSyncExternalStore(serial.onState, serial.state);
  const { busy, run } = useWork();
  const [fault, setFault] = useState<string>();
  const kind = SERIAL_KINDS.find((each) => each.shows.some((one) => shows.includes(one) || shows.includes("*")));
  if (!serial.isOffered || !kind) return null;
  const connect = () =>
    run(async () => {
      setFault(undefined);
      const why = await serial.connect(kind.kind);
      setFault(why);
      const { device: connected } = serial.state();
      if (connected !== undefined) onConnected(connected);
    });
  return (
    <div className="start-simulator">
      {device === undefined ? (
        <Button icon="application" size="small" busy={busy} onClick={() => void connect()}>
          {`Connect ${kind.name} by serial port`}
        </Button>
      ) : (
        <Button size="small" onClick={serial.disconnect}>
          Disconnect the serial port
        </Button>
      )}
      {device === undefined && ended !== undefined && fault === undefined && (
        <span className="hint" role="status">
          It was stopped and disconnected: {ended}
        </span>
      )}
      {fault !== undefined && <FaultLine>{fault}</FaultLine>}
    </div>
  );
}
