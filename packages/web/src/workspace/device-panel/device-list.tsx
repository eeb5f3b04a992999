import type { Device } from "@backplane/contract/devices";
import { clock } from "../../parts/times.ts";
import type { DeviceContext } from "../panel.ts";
import { type Fitting, nameOf, toneOf } from "./fitting.ts";
import { useClock } from "./use-devices.ts";

/** Maker and model, firmware, and the convention by which it is read. */
/** Of a device that Backplane connects to, the source has a name, too: odrive:arm. */
const kindOf = (source: string): string => source.split(":", 1)[0] ?? source;

export const aboutDevice = ({ maker, model, firmware, source }: Device): string => {
  const made = [maker, model].filter(Boolean).join(" ");
  return [made, firmware, `by ${SOURCES[kindOf(source)] ?? kindOf(source)}`].filter(Boolean).join(", ");
};

const SOURCES: Readonly<Record<string, string>> = {
  homie: "Homie",
  "home-assistant": "Home Assistant",
  tasmota: "Tasmota",
  wled: "WLED",
  decawave: "Decawave gateway",
  odrive: "ODrive ASCII",
  vesc: "VESC UART",
  dynamixel: "Dynamixel 2.0",
  firmata: "Firmata",
  msp: "MSP",
  kiss: "KISS telemetry",
  scpi: "SCPI",
  "ve-direct": "VE.Direct",
  gdb: "GDB",
  mavlink: "MAVLink 2",
};

const STATE_WORDS: Record<Device["state"], string> = {
  ready: "ready",
  init: "starting",
  sleeping: "sleeping",
  disconnected: "not connected",
  lost: "lost",
};

export const holderWords = ({ lease }: Pick<Device, "lease">): string =>
  lease ? `${lease.holder.program ?? lease.holder.user} controls` : "free";

type Props = {
  context: DeviceContext;
  all: readonly Fitting[];
  current?: Fitting;
  onChoose: (device: string, capability: string) => void;
};

/** State, age and who is in control, before one chooses. */
export function DeviceList({ context, all, current, onChoose }: Props) {
  const now = new Date(useClock(context, 1_000));
  return (
    <ul className="device-list">
      {all.map((each) => {
        const { device, capability } = each;
        const isCurrent = current?.device.id === device.id && current.capability.id === capability.id;
        const isLost = device.state === "lost";
        return (
          <li key={`${device.id} ${capability.id}`}>
            <button
              type="button"
              aria-current={isCurrent || undefined}
              onClick={() => onChoose(device.id, capability.id)}
            >
              <span className={`dot ${toneOf(device.state)}`} aria-hidden="true" />
              <b className="cut">{nameOf(each, all)}</b>
              <span className={isLost ? "side danger" : "side"}>
                {isLost ? `lost at ${clock(new Date(device.lastSeenAt), now)}` : STATE_WORDS[device.state]}
              </span>
              <span className="sub cut">{aboutDevice(device)}</span>
              <span className="side">{holderWords(device)}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
