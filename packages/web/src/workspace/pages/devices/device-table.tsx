import type { Device, DeviceKey, Field } from "@backplane/contract/devices";
import type { CatalogPanel, JsonData } from "@backplane/contract/panels";
import { useEffect, useState } from "react";
import { faultWords } from "../../../calls/fault-words.ts";
import { Icon } from "../../../parts/icon.tsx";
import { FaultNote } from "../../../parts/note.tsx";
import { State } from "../../../parts/state.tsx";
import { layoutCalls, type WorkspaceName, workspaceAddress } from "../../calls.ts";
import { aboutDevice } from "../../device-panel/device-list.tsx";
import { panelsFor, toneOf } from "../../device-panel/fitting.ts";
import { ageWords, rateWords } from "../../device-panel/freshness.ts";
import { useClock, useDeviceList } from "../../device-panel/use-devices.ts";
import type { Devices, OpenDevices } from "../../devices/devices.ts";
import type { MenuItem } from "../../parts/menu.tsx";
import { MenuButton } from "../../parts/menu-button.tsx";
import { useRates } from "./use-rates.ts";

type Props = {
  workspace: WorkspaceName;
  opened: OpenDevices;
  keys: readonly DeviceKey[];
  panels: readonly CatalogPanel[];
};

/** The hub has a limit of subscriptions per page. */
const MAX_FOLLOWED = 60;
const FOLLOWED_HZ = 2;

export function DeviceTable({ workspace, opened, keys, panels }: Props) {
  const list = useDeviceList(opened.devices);
  const rates = useRates(opened.devices, list);
  const [fault, setFault] = useState<string>();
  if (list.length === 0) return null;

  const open = async ({ kind }: CatalogPanel, device: Device) => {
    setFault(undefined);
    const answer = await layoutCalls(workspace).addTab({ panelType: kind, initialState: { device: device.id } });
    if (answer.ok) window.location.assign(workspaceAddress(workspace));
    else setFault(faultWords(answer.fault));
  };
  return (
    <>
      <FaultNote>{fault}</FaultNote>
      <div className="card devices-table">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Device</th>
              <th scope="col">State</th>
              <th scope="col" className="num">
                Last value
              </th>
              <th scope="col">Key</th>
              <th scope="col" className="num">
                Rate
              </th>
              <th scope="col">In control</th>
              <th scope="col">
                <span className="sr">Open</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {list.map((device, place) => (
              <Row
                key={device.id}
                {...{ device, opened }}
                rateHz={rates.get(device.id)}
                isFollowed={place < MAX_FOLLOWED}
                deviceKey={keys.find((key) => key.device === device.id)}
                items={itemsOf(device, panels, (panel) => void open(panel, device))}
              />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

const itemsOf = (device: Device, panels: readonly CatalogPanel[], onOpen: (panel: CatalogPanel) => void): MenuItem[] =>
  panelsFor(device, panels).map((panel) => ({ label: `Open ${panel.name}`, onSelect: () => onOpen(panel) }));

const STATE_NAMES: Record<Device["state"], string> = {
  ready: "Ready",
  init: "Starting",
  sleeping: "Sleeping",
  disconnected: "Disconnected",
  lost: "Lost",
};

type RowProps = {
  device: Device;
  opened: OpenDevices;
  rateHz: number | undefined;
  isFollowed: boolean;
  deviceKey: DeviceKey | undefined;
  items: MenuItem[];
};

function Row({ device, opened, rateHz, isFollowed, deviceKey, items }: RowProps) {
  const { id, name, source, state, lease, alerts } = device;
  return (
    <tr className={state === "lost" ? "is-lost" : undefined}>
      <td>
        <b>{name}</b>
        <span className="devices-sub">
          {id === name ? "" : `${id}, `}
          {aboutDevice(device)}
        </span>
        {alerts.map((alert) => (
          <span key={alert.id} className="devices-sub warn">
            {alert.text}
          </span>
        ))}
      </td>
      <td>
        <State tone={toneOf(state)} word={STATE_NAMES[state]} />
      </td>
      <td className="num">{isFollowed ? <LastValue device={device} opened={opened} /> : "–"}</td>
      <td>
        {deviceKey ? (
          <span className="devices-key">
            <Icon name="key" /> {deviceKey.name}
          </span>
        ) : (
          <span className="muted">
            {source.includes(":") ? "none needed" : id.startsWith("sim-") ? "simulator" : "of its gateway"}
          </span>
        )}
      </td>
      <td className="num">{rateHz === undefined ? <span className="muted">–</span> : rateWords(rateHz)}</td>
      <td>
        {lease ? (
          <span className="badge replaying">{lease.holder.program ?? lease.holder.user}</span>
        ) : (
          <span className="muted">nobody</span>
        )}
      </td>
      <td className="devices-open">
        {items.length > 0 && (
          <MenuButton
            icon="more"
            label={`Open ${name} in a panel`}
            menuLabel={`Panels for ${name}`}
            align="end"
            items={items}
          />
        )}
      </td>
    </tr>
  );
}

type Value = { tMs: number; field: string; value: JsonData | null };

/** The first field of the device, and how old it is. */
function LastValue({ device, opened }: { device: Device; opened: OpenDevices }) {
  const [capability] = device.capabilities;
  const [field] = Object.keys(capability?.fields ?? {});
  const last = useLast(opened.devices, device.id, capability?.id, field);
  const nowMs = useClock(opened, 1_000);
  if (!last || field === undefined) return <span className="muted">–</span>;
  return (
    <span className="devices-value">
      {valueWords(last.value, capability?.fields[field])}
      <span className="devices-sub">{ageWords(Math.max(0, nowMs - last.tMs))} old</span>
    </span>
  );
}

function useLast(devices: Devices, device: string, capability: string | undefined, field: string | undefined) {
  const [last, setLast] = useState<Value>();
  useEffect(() => {
    if (capability === undefined || field === undefined) return;
    const want = { device, capability, fields: [field], rateHz: FOLLOWED_HZ, historyMs: 60_000 };
    return devices.subscribe(want, ({ tMs, fields }) => {
      const at = tMs.at(-1);
      if (at !== undefined) setLast({ tMs: at, field, value: fields[field]?.at(-1) ?? null });
    });
  }, [devices, device, capability, field]);
  return last;
}

function valueWords(value: JsonData | null, field: Field | undefined): string {
  if (value === null) return "no value";
  const text = typeof value === "number" ? String(Number(value.toFixed(2))).replace("-", "−") : String(value);
  const unit = field?.unit;
  return unit === undefined ? text.slice(0, 40) : `${text}${unit.startsWith("°") ? "" : " "}${unit}`;
}
