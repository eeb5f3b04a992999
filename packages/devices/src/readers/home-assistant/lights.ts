import { DEVICES_LIMITS, type Field } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { isObject, numberOf, own, textOf } from "../json.ts";
import type { Order } from "../orders.ts";
import type { EntityConfig } from "./discovery.ts";
import { asNumber, command, type Entity, payloadOf, sameText, stateOf, writerOf } from "./entity.ts";

const MIRED_KELVIN = 1_000_000;
/** Where a lamp does not say its limits. */
const KELVIN = { minimum: 1_500, maximum: 10_000 };

const FIELDS: Readonly<Record<string, Field>> = {
  on: { datatype: "boolean" },
  brightness_pct: { datatype: "number", unit: "%", min: 0, max: 100 },
  kelvin: { datatype: "number", unit: "K" },
  rgb: { datatype: "list" },
  effect: { datatype: "text" },
};
const PARAMS: Readonly<Record<string, JsonObject>> = {
  on: { type: "boolean" },
  brightness_pct: { type: "number", minimum: 0, maximum: 100 },
  kelvin: { type: "number", ...KELVIN },
  rgb: { type: "array", items: { type: "integer", minimum: 0, maximum: 255 }, minItems: 3, maxItems: 3 },
  effect: { type: "string", maxLength: DEVICES_LIMITS.maxNameLength },
};

export function lightEntity({ id, config }: EntityConfig): Entity | undefined {
  const schema = textOf(own(config, "schema")) ?? "basic";
  if (schema === "json") return jsonLight(id, config);
  return schema === "basic" || schema === "default" ? basicLight(id, config) : undefined;
}

const only = <Value>(all: Readonly<Record<string, Value>>, names: readonly string[]): Record<string, Value> =>
  Object.fromEntries(names.map((name) => [name, all[name] as Value]));

const light = (
  id: string,
  config: JsonObject,
  has: readonly string[],
  rest: Pick<Entity, "states" | "write">,
): Entity => {
  const name = textOf(own(config, "name"));
  return {
    ...{ id, kind: "light", ...(name === undefined ? {} : { name }), fields: only(FIELDS, has) },
    commands: { set: command("changes", only(PARAMS, has), []) },
    ...rest,
  };
};

/** A lamp counts in steps, and says the one that is nearest to what was asked. */
function brightnessOf(config: JsonObject) {
  const given = numberOf(own(config, "brightness_scale")) ?? 255;
  const scale = given >= 1 ? given : 255;
  return {
    read: (step: number): number => Math.round((step * 1_000) / scale) / 10,
    step: (pct: number): number => Math.round((pct * scale) / 100),
  };
}

const numbers = (value: unknown): number[] =>
  (Array.isArray(value) ? value : String(value).split(",")).map(Number).filter(Number.isFinite);

/** Everything in one JSON object, as Zigbee2MQTT and ESPHome do. */
function jsonLight(id: string, config: JsonObject): Entity | undefined {
  const topic = textOf(own(config, "command_topic"));
  if (topic === undefined) return undefined;
  const scale = brightnessOf(config);
  const modes = [own(config, "supported_color_modes")].flat().map(String);
  const isKelvin = own(config, "color_temp_kelvin") === true;
  const isColored =
    modes.some((mode) => ["rgb", "rgbw", "rgbww", "xy", "hs"].includes(mode)) || own(config, "rgb") === true;
  const has = [
    "on",
    ...(own(config, "brightness") === true || modes.some((mode) => mode !== "onoff") ? ["brightness_pct"] : []),
    ...(modes.includes("color_temp") || own(config, "color_temp") === true ? ["kelvin"] : []),
    ...(isColored ? ["rgb"] : []),
    ...(own(config, "effect") === true ? ["effect"] : []),
  ];

  function read(json: unknown): JsonObject | undefined {
    if (!isObject(json)) return undefined;
    const values: JsonObject = {};
    const state = textOf(own(json, "state"));
    if (state === "ON" || state === "OFF") values.on = state === "ON";
    const brightness = numberOf(own(json, "brightness"));
    if (brightness !== undefined && has.includes("brightness_pct")) values.brightness_pct = scale.read(brightness);
    const temperature = numberOf(own(json, "color_temp"));
    if (temperature && has.includes("kelvin"))
      values.kelvin = isKelvin ? temperature : Math.round(MIRED_KELVIN / temperature);
    const color = own(json, "color");
    const rgb = ["r", "g", "b"].map((part) => numberOf(own(color, part)));
    if (has.includes("rgb") && rgb.every((part) => part !== undefined)) values.rgb = rgb;
    const effect = textOf(own(json, "effect"));
    if (has.includes("effect") && effect !== undefined) values.effect = effect;
    return values;
  }
  const stateTopic = textOf(own(config, "state_topic"));
  return light(id, config, has, {
    states: stateTopic === undefined ? [] : [{ topic: stateTopic, read: ({ json }) => read(json) }],
    write(_name, params) {
      const on = own(params, "on") !== false;
      const brightness = numberOf(own(params, "brightness_pct"));
      const kelvin = numberOf(own(params, "kelvin"));
      const rgb = own(params, "rgb");
      const effect = textOf(own(params, "effect"));
      const [r, g, b] = Array.isArray(rgb) ? rgb : [];
      const message = {
        state: on ? "ON" : "OFF",
        ...(brightness === undefined ? {} : { brightness: scale.step(brightness) }),
        ...(kelvin === undefined ? {} : { color_temp: isKelvin ? kelvin : Math.round(MIRED_KELVIN / kelvin) }),
        ...(rgb === undefined ? {} : { color: { r, g, b } as JsonObject }),
        ...(effect === undefined ? {} : { effect }),
      };
      const expected = {
        on,
        ...(brightness === undefined ? {} : { brightness_pct: scale.read(scale.step(brightness)) }),
        ...(kelvin === undefined ? {} : { kelvin }),
      };
      return { messages: [{ topic, payload: JSON.stringify(message) }], expected };
    },
  });
}

/** A topic for each part of its state. */
function basicLight(id: string, config: JsonObject): Entity | undefined {
  const power = writerOf(config, "command_topic", "command_template");
  if (!power) return undefined;
  const payloads = { on: payloadOf(config, "payload_on", "ON"), off: payloadOf(config, "payload_off", "OFF") };
  const scale = brightnessOf(config);
  const isKelvin = own(config, "color_temp_kelvin") === true;
  const writers = {
    brightness_pct: writerOf(config, "brightness_command_topic", "brightness_command_template"),
    kelvin: writerOf(config, "color_temp_command_topic", "color_temp_command_template"),
    rgb: writerOf(config, "rgb_command_topic", "rgb_command_template"),
    effect: writerOf(config, "effect_command_topic", "effect_command_template"),
  };
  const has = ["on", ...Object.keys(writers).filter((name) => writers[name as keyof typeof writers])];
  const stateTemplate = Object.hasOwn(config, "state_value_template") ? "state_value_template" : "value_template";
  const states = [
    ...stateOf(config, "state_topic", stateTemplate, (value) =>
      sameText(value, payloads.on) ? { on: true } : sameText(value, payloads.off) ? { on: false } : undefined,
    ),
    ...stateOf(config, "brightness_state_topic", "brightness_value_template", (value) => {
      const brightness = asNumber(value);
      return brightness === undefined ? undefined : { brightness_pct: scale.read(brightness) };
    }),
    ...stateOf(config, "color_temp_state_topic", "color_temp_value_template", (value) => {
      const temperature = asNumber(value);
      return temperature ? { kelvin: isKelvin ? temperature : Math.round(MIRED_KELVIN / temperature) } : undefined;
    }),
    ...stateOf(config, "rgb_state_topic", "rgb_value_template", (value) => {
      const rgb = numbers(value);
      return rgb.length === 3 ? { rgb } : undefined;
    }),
    ...stateOf(config, "effect_state_topic", "effect_value_template", (value) => ({ effect: String(value) })),
  ];
  return light(id, config, has, {
    states,
    write(_name, params): Order {
      const on = own(params, "on") !== false;
      const brightness = numberOf(own(params, "brightness_pct"));
      const kelvin = numberOf(own(params, "kelvin"));
      const rgb = own(params, "rgb");
      const effect = textOf(own(params, "effect"));
      const messages = [
        brightness !== undefined && writers.brightness_pct?.(String(scale.step(brightness))),
        kelvin !== undefined && writers.kelvin?.(String(isKelvin ? kelvin : Math.round(MIRED_KELVIN / kelvin))),
        Array.isArray(rgb) && writers.rgb?.(rgb.join(",")),
        effect !== undefined && writers.effect?.(effect),
        power(on ? payloads.on : payloads.off),
      ].filter((message) => message !== false && message !== undefined);
      const expected = {
        on,
        ...(brightness === undefined ? {} : { brightness_pct: scale.read(scale.step(brightness)) }),
        ...(kelvin === undefined ? {} : { kelvin }),
      };
      return { messages, expected };
    },
  });
}
