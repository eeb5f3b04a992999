import type { Capability, Command, Field } from "@backplane/contract/devices";
import type { JsonData, JsonObject } from "@backplane/contract/panels";

/** Firmata's numbers of the modes that are used here. */
const MODES = { in: 0, out: 1, adc: 2, pwm: 3 } as const;
const PULL_UP = 11;
export type Mode = keyof typeof MODES;
export const MODE_NAMES = Object.keys(MODES) as Mode[];
export const modeNumber = (mode: Mode): number => MODES[mode];
export const modeNamed = (number: number): Mode | undefined =>
  number === PULL_UP ? "in" : MODE_NAMES.find((name) => MODES[name] === number);

const NO_CHANNEL = 127;

export type Pin = {
  number: number;
  name: string;
  /** Bits of the resolution, by mode. */
  modes: ReadonlyMap<Mode, number>;
  channel: number | undefined;
  mode: Mode | undefined;
  hasPullUp: boolean;
  /** As the board has it; undefined: nothing was heard of it in this mode. */
  value: number | undefined;
  /** Counts what it was told, so that a pulse does not end what came after it. */
  told: number;
};

/** Pins that can be used: those with a channel have its name, as they are labelled on boards. */
export function pinsOf(
  capabilities: readonly (readonly { mode: number; bits: number }[])[],
  channels: readonly number[],
): Pin[] {
  return capabilities.flatMap((listed, number): Pin[] => {
    const modes = new Map(
      listed.flatMap(({ mode, bits }): [Mode, number][] => {
        const name = mode === PULL_UP ? undefined : modeNamed(mode);
        return name === undefined ? [] : [[name, Math.min(14, Math.max(1, bits))]];
      }),
    );
    if (modes.size === 0) return [];
    const channel = channels[number] === NO_CHANNEL ? undefined : channels[number];
    const name = channel === undefined ? `d${number}` : `a${channel}`;
    return [{ number, name, modes, channel, mode: undefined, hasPullUp: false, value: undefined, told: 0 }];
  });
}

const MAX_PULSE_MS = 5_000;

export function capabilityOf(pins: readonly Pin[], volts: number): Capability {
  const fields = pins.flatMap(({ name, modes }): [string, Field][] => [
    [name, { datatype: "boolean" }],
    ...(modes.has("pwm")
      ? [[`${name}_pct`, { datatype: "number", unit: "%", min: 0, max: 100 }] as [string, Field]]
      : []),
    ...(modes.has("adc")
      ? [[`${name}_v`, { datatype: "number", unit: "V", min: 0, max: volts }] as [string, Field]]
      : []),
  ]);
  const named = (mode: Mode): JsonObject => ({
    ...{ type: "string", enum: pins.filter(({ modes }) => modes.has(mode)).map(({ name }) => name) },
  });
  const powers = (properties: Record<string, JsonObject>): Command => ({
    effect: "powers",
    params: { type: "object", properties, required: Object.keys(properties) },
  });
  const level = { type: "boolean" };
  return {
    ...{ id: "pins", kind: "gpio", name: "Pins" },
    fields: { ...Object.fromEntries(fields), pins: { datatype: "list" } },
    commands: {
      write: powers({ pin: named("out"), high: level }),
      pwm: powers({ pin: named("pwm"), duty_pct: { type: "number", minimum: 0, maximum: 100 } }),
      pulse: powers({ pin: named("out"), high: level, ms: { type: "number", minimum: 1, maximum: MAX_PULSE_MS } }),
      mode: powers({
        pin: { type: "string", enum: pins.map(({ name }) => name) },
        mode: { type: "string", enum: MODE_NAMES },
      }),
      off: { effect: "none", params: { type: "object" } },
    },
  };
}

const most = ({ modes }: Pin, mode: Mode): number => 2 ** (modes.get(mode) ?? 1) - 1;
export const dutyOf = (pin: Pin, pct: number): number => Math.round((pct / 100) * most(pin, "pwm"));

/** What a pin is not just now is null. */
export function sampleOf(pins: readonly Pin[], volts: number): JsonObject {
  const entries = pins.flatMap((pin): [string, JsonData][] => {
    const { name, modes, mode, value } = pin;
    const when = (is: Mode, shown: (value: number) => JsonData): JsonData =>
      mode === is && value !== undefined ? shown(value) : null;
    const isLevel = mode === "in" || mode === "out";
    return [
      [name, isLevel && value !== undefined ? value !== 0 : null],
      ...(modes.has("pwm")
        ? [[`${name}_pct`, when("pwm", (duty) => rounded((100 * duty) / most(pin, "pwm")))] as [string, JsonData]]
        : []),
      ...(modes.has("adc")
        ? [[`${name}_v`, when("adc", (level) => rounded((volts * level) / most(pin, "adc")))] as [string, JsonData]]
        : []),
    ];
  });
  const listed = pins.map(({ name, mode, hasPullUp }, i) => ({
    ...{ name, place: i + 1, ...(mode === undefined ? {} : { mode }) },
    ...(hasPullUp ? { note: "pull-up" } : {}),
  }));
  return { ...Object.fromEntries(entries), pins: listed };
}

const rounded = (value: number): number => Number(value.toFixed(3));
