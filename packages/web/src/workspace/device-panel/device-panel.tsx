import "./device-panel.css";
import { type ComponentType, useEffect, useMemo } from "react";
import type { DeviceContext, MountDevicePanel } from "../panel.ts";
import { reactPanel, usePanelState } from "../panels/react-panel.tsx";
import { ChooseDevice } from "./choose-device.tsx";
import { CommandRow, type Commands, useCommands } from "./command-row.tsx";
import { DeviceRow } from "./device-row.tsx";
import { chosenOf, type Fitting, fittingOf, nameOf, needsControl } from "./fitting.ts";
import { LeaseRow } from "./lease-row.tsx";
import { DeviceAlerts } from "./panel-alert.tsx";
import { useClockMode, useControl, useDeviceList } from "./use-devices.ts";

/** What the content of a panel gets: what it shows, and how it commands it. */
export type DeviceContent = Fitting & { context: DeviceContext; commands: Commands };

/** All that is different between panels that show a device. The rest is shared: picker, ages, control, stop, last command. */
export type DevicePanel = {
  /** What is chosen, such as motor. */
  noun: string;
  Content: ComponentType<DeviceContent>;
  /** It only looks: nothing of the device is controlled here. */
  isReadOnly?: boolean;
  /** In the device's row: what is the panel's own. */
  Tools?: ComponentType<DeviceContent>;
};

export const devicePanel =
  (panel: DevicePanel): MountDevicePanel =>
  (element, context) =>
    reactPanel(element, <Chosen panel={panel} context={context} />, {
      focus: () => element.querySelector<HTMLElement>("button, input, [tabindex]")?.focus(),
    });

function Chosen({ panel, context }: { panel: DevicePanel; context: DeviceContext }) {
  const { catalogPanel, devices, setTitle, setState } = context;
  const shows = catalogPanel?.shows ?? [];
  const state = usePanelState(context);
  const list = useDeviceList(devices);
  const all = fittingOf(list, shows);
  const chosen = chosenOf(list, shows, state);
  const title = chosen && nameOf(chosen, all);
  useEffect(() => setTitle(title === undefined ? catalogPanel?.name : title), [title, catalogPanel, setTitle]);

  const choose = (device: string, capability?: string) =>
    void setState({ device, capability: capability ?? null }).catch(reportError);
  const choosing = { ...{ context, shows, all, noun: panel.noun }, onChoose: choose };
  if (!chosen) {
    const missing = typeof state.device === "string" ? state.device : undefined;
    return (
      <div className="panel-root">
        <ChooseDevice {...choosing} missing={missing} />
      </div>
    );
  }
  return <Shown key={`${chosen.device.id} ${chosen.capability.id}`} {...{ panel, context, chosen, choosing }} />;
}

type Choosing = Parameters<typeof ChooseDevice>[0];
type ShownProps = { panel: DevicePanel; context: DeviceContext; chosen: Fitting; choosing: Choosing };

function Shown({ panel: { Content, Tools, isReadOnly = false }, context, chosen, choosing }: ShownProps) {
  const { device, capability } = chosen;
  const { control, state } = useControl(context.devices, device.id);
  const mode = useClockMode(context);
  const commands = useCommands(context, { device: device.id, capability: capability.id });
  const isControlled = !isReadOnly && needsControl(capability);
  const used = useRenewing(control.renew);
  const content: DeviceContent = { ...chosen, context, commands };
  return (
    <div
      className="panel-root device-panel"
      data-device-state={mode === "replay" ? "replay" : device.state}
      {...(state.isMine ? used : {})}
    >
      <DeviceRow
        {...{ context, chosen, choosing, isControlled, roundTripMs: roundTripOf(commands) }}
        tools={Tools && <Tools {...content} />}
      />
      {isControlled && <LeaseRow {...{ control, state, mode, context }} />}
      <DeviceAlerts device={device} />
      <div className="panel-view">
        <Content {...content} />
      </div>
      {!isReadOnly && Object.keys(capability.commands).length > 0 && <CommandRow commands={commands} mode={mode} />}
    </div>
  );
}

function roundTripOf({ last }: Commands): number | undefined {
  return last?.acceptedMs ?? (last?.ack?.ok ? last.ack.tookMs : undefined);
}

const RENEW_EVERY_MS = 1_000;

/** Control is renewed by use: pointer and keys anywhere in the panel. */
function useRenewing(renew: () => void) {
  return useMemo(() => {
    let renewedAtMs = Number.NEGATIVE_INFINITY;
    const used = () => {
      if (performance.now() - renewedAtMs < RENEW_EVERY_MS) return;
      renewedAtMs = performance.now();
      renew();
    };
    return { onPointerMove: used, onPointerDown: used, onKeyDown: used };
  }, [renew]);
}
