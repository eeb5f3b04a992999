import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { JsonData } from "@backplane/contract/panels";
import { isObject, own, readObject, textOf } from "../json.ts";
import { type Measure, measureOf, toId } from "../units.ts";

export type TasmotaOutput = { id: string; kind: "switch" | "light"; name?: string; power: string };

export type TasmotaConfig = {
  device: string;
  name?: string;
  model?: string;
  firmware?: string;
  /** Topics before which `cmnd`, `stat` and `tele` are filled in. */
  topics: { cmnd: string; stat: string; tele: string };
  online: string;
  offline: string;
  on: string;
  off: string;
  outputs: TasmotaOutput[];
};

const RELAY = 1;
const LIGHT = 2;

/** `tasmota/discovery/<mac>/config`. Undefined: it cannot be used. Pure. */
export function readTasmotaConfig(payload: Buffer | string): TasmotaConfig | undefined {
  const read = readObject(payload);
  if (!read.ok) return undefined;
  const text = (key: string): string | undefined => textOf(own(read.value, key));
  const device = toId(text("mac") ?? "");
  const topic = text("t");
  const full = text("ft");
  if (device === undefined || topic === undefined || full?.includes("%prefix%") !== true) return undefined;
  const prefixes = [own(read.value, "tp")].flat().map(String);
  const topicOf = (index: number, otherwise: string): string =>
    full.replace("%prefix%", prefixes[index] ?? otherwise).replace("%topic%", topic);
  const states = [own(read.value, "state")].flat();
  const name = text("dn");
  const [model, firmware] = [text("md"), text("sw")];
  return {
    device,
    ...(name === undefined ? {} : { name }),
    ...(model === undefined ? {} : { model }),
    ...(firmware === undefined ? {} : { firmware }),
    topics: { cmnd: topicOf(0, "cmnd"), stat: topicOf(1, "stat"), tele: topicOf(2, "tele") },
    online: text("onln") ?? "Online",
    offline: text("ofln") ?? "Offline",
    on: textOf(states[1]) ?? "ON",
    off: textOf(states[0]) ?? "OFF",
    outputs: outputsOf(own(read.value, "rl"), own(read.value, "fn")),
  };
}

/** With one output its power is POWER, with several POWER1, POWER2 and so on. */
function outputsOf(relays: unknown, names: unknown): TasmotaOutput[] {
  const kinds = Array.isArray(relays) ? relays.slice(0, 32) : [];
  const used = kinds.flatMap((kind, index) => (kind === RELAY || kind === LIGHT ? [{ kind, index }] : []));
  return used.map(({ kind, index }) => {
    const name = textOf(own(names, index));
    return {
      id: `${kind === LIGHT ? "light" : "relay"}-${index + 1}`,
      kind: kind === LIGHT ? "light" : "switch",
      power: used.length === 1 ? "POWER" : `POWER${index + 1}`,
      ...(name === undefined ? {} : { name }),
    };
  });
}

/** What Tasmota's sensors call their values → unit. */
const UNIT_OF: Readonly<Record<string, string>> = {
  ...{
    Humidity: "%",
    Voltage: "V",
    Current: "A",
    Power: "W",
    ApparentPower: "VA",
    ReactivePower: "var",
    Frequency: "Hz",
  },
  ...{ Total: "kWh", Yesterday: "kWh", Today: "kWh", Illuminance: "lx", Distance: "cm", CarbonDioxide: "ppm" },
};

export type TasmotaValue = { measure: Measure; value: number };

/** The numbers of `tele/…/SENSOR`, each as `<sensor>_<value>_<unit>`. Pure. */
export function readTasmotaSensors(payload: JsonData): TasmotaValue[] {
  if (!isObject(payload)) return [];
  const units: Readonly<Record<string, string>> = {
    Temperature: own(payload, "TempUnit") === "F" ? "°F" : "°C",
    DewPoint: own(payload, "TempUnit") === "F" ? "°F" : "°C",
    Pressure: textOf(own(payload, "PressureUnit")) ?? "hPa",
    SeaPressure: textOf(own(payload, "PressureUnit")) ?? "hPa",
    ...UNIT_OF,
  };
  const found: TasmotaValue[] = [];
  for (const [sensor, values] of Object.entries(payload)) {
    for (const [name, value] of isObject(values) ? Object.entries(values) : []) {
      if (typeof value !== "number" || found.length >= DEVICES_LIMITS.maxFields) continue;
      found.push({
        measure: measureOf(`${sensor}_${name}`, Object.hasOwn(units, name) ? units[name] : undefined),
        value,
      });
    }
  }
  return found;
}
