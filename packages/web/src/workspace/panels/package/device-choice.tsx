import type { Device } from "@backplane/contract/devices";
import { mayRead, type PanelWants } from "@backplane/contract/panels";
import { useDeviceList } from "../../device-panel/use-devices.ts";
import type { Devices } from "../../devices/devices.ts";

type Props = {
  devices: Devices;
  wants: PanelWants;
  /** Null: every device that fits, also later ones. */
  ids: readonly string[] | null;
  onChange(ids: string[] | null): void;
};

/** Which devices a panel sees. A device that was chosen stays in the list while it is not there. */
export function DeviceChoice({ devices, wants, ids, onChange }: Props) {
  const fitting = useDeviceList(devices).filter((device) => fits(device, wants));
  if (wants.read.length === 0 && wants.control.length === 0) return null;
  const known = new Map(fitting.map(({ id, name }) => [id, name]));
  const away = (ids ?? []).filter((id) => !known.has(id));
  const toggle = (id: string, isOn: boolean) =>
    onChange(isOn ? [...(ids ?? []), id] : (ids ?? []).filter((each) => each !== id));
  return (
    <fieldset className="package-devices">
      <legend>Devices</legend>
      <label className="check dense">
        <input
          type="checkbox"
          checked={ids === null}
          onChange={({ target }) => onChange(target.checked ? null : [...known.keys()])}
        />
        Every device that fits, also later ones
      </label>
      {ids !== null && (
        <ul>
          {[...known, ...away.map((id) => [id, `${id}, not there now`] as const)].map(([id, name]) => (
            <li key={id}>
              <label className="check dense">
                <input
                  type="checkbox"
                  checked={ids.includes(id)}
                  onChange={({ target }) => toggle(id, target.checked)}
                />
                {name}
              </label>
            </li>
          ))}
        </ul>
      )}
      {ids !== null && known.size + away.length === 0 && <p className="small muted">No device fits now.</p>}
    </fieldset>
  );
}

const fits = ({ capabilities }: Device, wants: PanelWants): boolean =>
  capabilities.some(({ kind }) => mayRead(wants, kind));
