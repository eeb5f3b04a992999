/** A unit as devices write it → how fields end, how people read it, and how to convert it. */
type Unit = { suffix: string; unit: string; scale?: number; offset?: number };

const CELSIUS: Unit = { suffix: "c", unit: "°C" };
const PASCAL: Unit = { suffix: "pa", unit: "Pa" };
const scaled = (unit: Unit, scale: number): Unit => ({ ...unit, scale });
const VOLT: Unit = { suffix: "v", unit: "V" };
const AMPERE: Unit = { suffix: "a", unit: "A" };
const WATT: Unit = { suffix: "w", unit: "W" };
const WATT_HOUR: Unit = { suffix: "wh", unit: "Wh" };
const METRE: Unit = { suffix: "m", unit: "m" };
const SECOND: Unit = { suffix: "s", unit: "s" };
const SPEED: Unit = { suffix: "m_s", unit: "m/s" };
const LUX: Unit = { suffix: "lx", unit: "lx" };

/** SI, and what people say. Everything else keeps its unit and its name. */
const UNITS: Readonly<Record<string, Unit>> = {
  "°C": CELSIUS,
  "°F": { ...CELSIUS, scale: 5 / 9, offset: -160 / 9 },
  K: { suffix: "k", unit: "K" },
  "°": { suffix: "deg", unit: "°" },
  rad: { suffix: "rad", unit: "rad" },
  "rad/s": { suffix: "rad_s", unit: "rad/s" },
  rpm: { suffix: "rpm", unit: "rpm" },
  "%": { suffix: "pct", unit: "%" },
  Pa: PASCAL,
  hPa: scaled(PASCAL, 100),
  mbar: scaled(PASCAL, 100),
  kPa: scaled(PASCAL, 1_000),
  bar: scaled(PASCAL, 100_000),
  psi: scaled(PASCAL, 6_894.757_293_168),
  mmHg: scaled(PASCAL, 133.322_387_415),
  inHg: scaled(PASCAL, 3_386.389),
  V: VOLT,
  mV: scaled(VOLT, 0.001),
  A: AMPERE,
  mA: scaled(AMPERE, 0.001),
  W: WATT,
  kW: scaled(WATT, 1_000),
  Wh: WATT_HOUR,
  kWh: scaled(WATT_HOUR, 1_000),
  VA: { suffix: "va", unit: "VA" },
  var: { suffix: "var", unit: "var" },
  Hz: { suffix: "hz", unit: "Hz" },
  mAh: { suffix: "mah", unit: "mAh" },
  m: METRE,
  cm: scaled(METRE, 0.01),
  mm: { suffix: "mm", unit: "mm" },
  km: scaled(METRE, 1_000),
  in: scaled(METRE, 0.0254),
  ft: scaled(METRE, 0.3048),
  "m/s": SPEED,
  "km/h": scaled(SPEED, 1 / 3.6),
  mph: scaled(SPEED, 0.447_04),
  "m/s²": { suffix: "m_s2", unit: "m/s²" },
  s: SECOND,
  ms: scaled(SECOND, 0.001),
  min: scaled(SECOND, 60),
  h: scaled(SECOND, 3_600),
  lx: LUX,
  lux: LUX,
  dBm: { suffix: "dbm", unit: "dBm" },
  dB: { suffix: "db", unit: "dB" },
  ppm: { suffix: "ppm", unit: "ppm" },
  ppb: { suffix: "ppb", unit: "ppb" },
  "µg/m³": { suffix: "ug_m3", unit: "µg/m³" },
  g: { suffix: "g", unit: "g" },
  kg: { suffix: "kg", unit: "kg" },
  l: { suffix: "l", unit: "l" },
  L: { suffix: "l", unit: "l" },
  "m³": { suffix: "m3", unit: "m³" },
  mired: { suffix: "mired", unit: "mired" },
  N: { suffix: "n", unit: "N" },
  "N m": { suffix: "nm", unit: "N m" },
};

/** Older signs for the same. */
const SAME: Readonly<Record<string, string>> = { "μg/m³": "µg/m³", "ug/m³": "µg/m³", C: "°C", F: "°F", percent: "%" };

export type Measure = {
  /** The field that it becomes. */
  field: string;
  unit?: string;
  convert(value: number): number;
  /** From ours to the device's, for commands. */
  revert(value: number): number;
};

const MAX_FIELD_LENGTH = 64;

/** How a value of a device becomes a field: `temperature` in °F is `temperature_c`. */
export function measureOf(name: string, deviceUnit: string | undefined): Measure {
  const base = fieldName(name);
  if (deviceUnit === undefined || deviceUnit === "") return { field: base, convert: same, revert: same };
  const written = Object.hasOwn(SAME, deviceUnit) ? (SAME[deviceUnit] as string) : deviceUnit;
  const unit = Object.hasOwn(UNITS, written) ? UNITS[written] : undefined;
  if (!unit) return { field: base, unit: deviceUnit.slice(0, 24), convert: same, revert: same };
  const { suffix, scale = 1, offset = 0 } = unit;
  return {
    field: base.endsWith(`_${suffix}`) ? base : `${base.slice(0, MAX_FIELD_LENGTH - suffix.length - 1)}_${suffix}`,
    unit: unit.unit,
    convert: scale === 1 && offset === 0 ? same : (value) => tidy(value * scale + offset),
    revert: scale === 1 && offset === 0 ? same : (value) => tidy((value - offset) / scale),
  };
}

const same = (value: number): number => value;
/** 77 °F is 25 °C, not 25.000000000000004. */
const tidy = (value: number): number => Number(value.toPrecision(12));

/** The unit at the end of a field's name, for people. */
export function unitOfField(field: string): string | undefined {
  const found = BY_LENGTH.find(({ suffix }) => field.endsWith(`_${suffix}`));
  return found?.unit;
}
const BY_LENGTH = Object.values(UNITS).toSorted((a, b) => b.suffix.length - a.suffix.length);

/** As topics and addresses can have it. */
export function fieldName(text: string): string {
  const name = text
    .normalize("NFKD")
    .replaceAll(/[^\w]+/g, "_")
    .replaceAll(/^_+|_+$/g, "")
    .toLowerCase()
    .slice(0, MAX_FIELD_LENGTH);
  return name === "" ? "value" : name;
}

/** An id of a device or capability; undefined: nothing of the text can be used. */
export function toId(text: string): string | undefined {
  const id = text
    .normalize("NFKD")
    .replaceAll(/[^\w.-]+/g, "-")
    .replaceAll(/^[-.]+|-+$/g, "")
    .slice(0, 64);
  return id === "" ? undefined : id;
}
