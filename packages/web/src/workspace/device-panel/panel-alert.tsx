import type { Device } from "@backplane/contract/devices";
import type { ReactNode } from "react";
import { State } from "../../parts/state.tsx";

type Props = { tone?: "warn" | "danger"; word: string; children: ReactNode };

/** Something is wrong with the device. It is the same row in every panel. */
export const PanelAlert = ({ tone = "warn", word, children }: Props) => (
  <p className={`panel-alert ${tone}`} role="alert">
    <State tone={tone} word={word} />
    <span>{children}</span>
  </p>
);

/** What the device, or the platform about it, warns of. */
export const DeviceAlerts = ({ device }: { device: Device }) =>
  device.alerts.map(({ id, text }) => (
    <PanelAlert key={id} word="Alert">
      {text}
    </PanelAlert>
  ));
