import type { ReactNode } from "react";
import { Icon } from "../../parts/icon.tsx";
import type { DeviceContext } from "../panel.ts";
import { ConnectSerial } from "./connect-serial.tsx";
import { DeviceList } from "./device-list.tsx";
import type { Fitting } from "./fitting.ts";
import { StartSimulator } from "./start-simulator.tsx";
import { useDevicesStatus } from "./use-devices.ts";

export type ChoosingProps = {
  context: DeviceContext;
  shows: readonly string[];
  all: readonly Fitting[];
  noun: string;
  onChoose: (device: string, capability?: string) => void;
};

const countWords = (count: number): string =>
  count === 1 ? "One of this workspace fits." : `${count} of this workspace fit. What is connected is first.`;

/** A panel without a device: those that fit, and a simulator for people without hardware. */
export function ChooseDevice({ missing, ...props }: ChoosingProps & { missing?: string | undefined }) {
  const { context, all, noun, shows, onChoose } = props;
  const { connection, detail, mayControl } = useDevicesStatus(context.devices);
  const article = /^[aeiou]/i.test(noun) ? "an" : "a";
  if (connection === "connecting") return <Words>Looking for devices…</Words>;
  if (connection === "refused") {
    return (
      <Words>
        <Icon name="warning" />
        <span>{detail ?? "The devices of this workspace cannot be shown."}</span>
      </Words>
    );
  }
  const { workspace } = context;
  return (
    <div className="choose-device">
      <h3>
        Choose {article} {noun}
      </h3>
      {missing !== undefined && (
        <p role="status">
          <b>{missing}</b> is not in this workspace now. It is shown when it is back.
        </p>
      )}
      <p className="muted">
        {all.length === 0 ? "No device of this workspace fits yet." : countWords(all.length)}{" "}
        {workspace && (
          <a href={`/w/${encodeURIComponent(workspace.owner)}/${encodeURIComponent(workspace.repo)}/devices`}>
            Connect your own
          </a>
        )}
      </p>
      {all.length > 0 && (
        <div className="device-list-frame">
          <DeviceList {...{ context, all, onChoose }} />
        </div>
      )}
      {workspace && mayControl && (
        <>
          <StartSimulator
            {...{ context: { workspace }, shows }}
            look={all.length === 0 ? "primary" : undefined}
            onStarted={onChoose}
          />
          <ConnectSerial {...{ context, shows }} onConnected={onChoose} />
        </>
      )}
      {!mayControl && <p className="hint">Simulators are started by people who may control devices.</p>}
    </div>
  );
}

const Words = ({ children }: { children: ReactNode }) => (
  <p className="panel-message" role="status">
    {children}
  </p>
);
