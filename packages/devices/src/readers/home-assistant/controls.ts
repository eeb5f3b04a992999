import { DEVICES_LIMITS, type Effect } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { numberOf, own, textOf } from "../json.ts";
import type { Order } from "../orders.ts";
import { measureOf } from "../units.ts";
import type { EntityConfig } from "./discovery.ts";
import { asNumber, command, type Entity, payloadOf, type StateTopic, sameText, stateOf, writerOf } from "./entity.ts";
import { lightEntity } from "./lights.ts";

type Make = (entity: EntityConfig) => Entity | undefined;
type Message = { topic: string; payload: string };

const order = (message: Message | undefined, expected: JsonObject): Order | undefined =>
  message && { messages: [message], expected };

/** Settings of a device harm nothing; what else an entity does is not known. */
const effectOf = (config: JsonObject): Effect =>
  textOf(own(config, "entity_category")) === undefined ? "powers" : "changes";

function onOffState(config: JsonObject, template: string): StateTopic[] {
  const on = payloadOf(config, "state_on", payloadOf(config, "payload_on", "ON"));
  const off = payloadOf(config, "state_off", payloadOf(config, "payload_off", "OFF"));
  return stateOf(config, "state_topic", template, (value) =>
    sameText(value, on) ? { on: true } : sameText(value, off) ? { on: false } : undefined,
  );
}

const switchEntity: Make = ({ id, config }) => {
  const write = writerOf(config, "command_topic", "command_template");
  return (
    write && {
      ...{ id, kind: "switch", fields: { on: { datatype: "boolean" } }, states: onOffState(config, "value_template") },
      commands: { on: command("powers"), off: command("none") },
      write: (name) =>
        order(write(payloadOf(config, name === "on" ? "payload_on" : "payload_off", name === "on" ? "ON" : "OFF")), {
          on: name === "on",
        }),
    }
  );
};

const numberEntity: Make = ({ id, config }) => {
  const write = writerOf(config, "command_topic", "command_template");
  const { field, unit, convert, revert } = measureOf("value", textOf(own(config, "unit_of_measurement")));
  const min = convert(numberOf(own(config, "min")) ?? 1);
  const max = convert(numberOf(own(config, "max")) ?? 100);
  return (
    write && {
      ...{ id, kind: "setting", fields: { [field]: { datatype: "number", min, max, ...(unit ? { unit } : {}) } } },
      commands: { set: command(effectOf(config), { [field]: { type: "number", minimum: min, maximum: max } }) },
      states: stateOf(config, "state_topic", "value_template", (value) => {
        const number = asNumber(value);
        return number === undefined ? undefined : { [field]: convert(number) };
      }),
      write(_name, params) {
        const value = numberOf(own(params, field));
        return value === undefined ? undefined : order(write(String(revert(value))), { [field]: value });
      },
    }
  );
};

const selectEntity: Make = ({ id, config }) => {
  const write = writerOf(config, "command_topic", "command_template");
  const labels = textsOf(own(config, "options"));
  return (
    write && {
      ...{ id, kind: "choice", fields: { value: { datatype: "text", labels } } },
      commands: { set: command(effectOf(config), { value: { type: "string", enum: labels } }) },
      states: stateOf(config, "state_topic", "value_template", (value) => ({ value: String(value) })),
      write(_name, params) {
        const value = textOf(own(params, "value"));
        return value === undefined ? undefined : order(write(value), { value });
      },
    }
  );
};

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(String).slice(0, DEVICES_LIMITS.maxFields) : [];

const buttonEntity: Make = ({ id, config }) => {
  const write = writerOf(config, "command_topic", "command_template");
  const isIdentify = textOf(own(config, "device_class")) === "identify";
  return (
    write && {
      ...{ id, kind: "action", fields: {}, states: [] },
      commands: { press: command(isIdentify ? "none" : effectOf(config)) },
      write: () => order(write(payloadOf(config, "payload_press", "PRESS")), {}),
    }
  );
};

const fanEntity: Make = ({ id, config }) => {
  const write = writerOf(config, "command_topic", "command_template");
  const speed = writerOf(config, "percentage_command_topic", "percentage_command_template");
  const lowest = numberOf(own(config, "speed_range_min")) ?? 1;
  const range = (numberOf(own(config, "speed_range_max")) ?? 100) - lowest + 1;
  const template = Object.hasOwn(config, "state_value_template") ? "state_value_template" : "value_template";
  return (
    write && {
      ...{ id, kind: "fan" },
      fields: {
        on: { datatype: "boolean" },
        ...(speed ? { speed_pct: { datatype: "number", unit: "%", min: 0, max: 100 } } : {}),
      },
      commands: {
        ...{ on: command("powers"), off: command("none") },
        ...(speed ? { speed: command("powers", { speed_pct: { type: "number", minimum: 0, maximum: 100 } }) } : {}),
      },
      states: [
        ...onOffState(config, template),
        ...stateOf(config, "percentage_state_topic", "percentage_value_template", (value) => {
          const step = asNumber(value);
          return step === undefined ? undefined : { speed_pct: Math.round(((step - lowest + 1) * 100) / range) };
        }),
      ],
      write(name, params) {
        const pct = numberOf(own(params, "speed_pct"));
        if (name !== "speed")
          return order(write(payloadOf(config, `payload_${name}`, name.toUpperCase())), { on: name === "on" });
        if (pct === undefined) return undefined;
        return order(speed?.(String(Math.round((pct * range) / 100) + lowest - 1)), { speed_pct: pct });
      },
    }
  );
};

const COVER_STATES = ["open", "opening", "closed", "closing", "stopped"];

const coverEntity: Make = ({ id, config }) => {
  const write = writerOf(config, "command_topic", "command_template");
  const position = writerOf(config, "set_position_topic", "set_position_template");
  const closed = numberOf(own(config, "position_closed")) ?? 0;
  const range = (numberOf(own(config, "position_open")) ?? 100) - closed || 100;
  const payloads = { open: "OPEN", close: "CLOSE", stop: "STOP" } as const;
  return (
    write && {
      ...{ id, kind: "cover" },
      fields: {
        state: { datatype: "text", labels: COVER_STATES },
        position_pct: { datatype: "number", unit: "%", min: 0, max: 100 },
      },
      commands: {
        ...{ open: command("moves"), close: command("moves"), stop: command("none") },
        ...(position
          ? { position: command("moves", { position_pct: { type: "number", minimum: 0, maximum: 100 } }) }
          : {}),
      },
      states: [
        ...stateOf(config, "state_topic", "value_template", (value) => ({ state: coverState(config, value) })),
        ...stateOf(config, "position_topic", "position_template", (value) => {
          const at = asNumber(value);
          return at === undefined ? undefined : { position_pct: Math.round(((at - closed) * 100) / range) };
        }),
      ],
      write(name, params) {
        const pct = numberOf(own(params, "position_pct"));
        if (name === "position" && pct !== undefined)
          return order(position?.(String(Math.round((pct * range) / 100 + closed))), { position_pct: pct });
        const payload = Object.hasOwn(payloads, name) ? payloads[name as keyof typeof payloads] : undefined;
        if (payload === undefined) return undefined;
        const expected: JsonObject = name === "stop" ? {} : { state: name === "open" ? "open" : "closed" };
        const message = write(payloadOf(config, `payload_${name}`, payload));
        return { messages: [message], expected, meanwhile: { state: name === "open" ? "opening" : "closing" } };
      },
    }
  );
};

const coverState = (config: JsonObject, value: unknown): string =>
  COVER_STATES.find((state) => sameText(value, payloadOf(config, `state_${state}`, state))) ??
  String(value).slice(0, 64);

const climateEntity: Make = ({ id, config }) => {
  const mode = writerOf(config, "mode_command_topic", "mode_command_template");
  const temperature = writerOf(config, "temperature_command_topic", "temperature_command_template");
  const { convert, revert } = measureOf("t", textOf(own(config, "temperature_unit")) === "F" ? "°F" : "°C");
  const modes = textsOf(own(config, "modes"));
  const labels = modes.length > 0 ? modes : ["auto", "off", "cool", "heat", "dry", "fan_only"];
  const min = convert(numberOf(own(config, "min_temp")) ?? 7);
  const max = convert(numberOf(own(config, "max_temp")) ?? 35);
  const degrees = (field: string) => (value: unknown) => {
    const number = asNumber(value);
    return number === undefined ? undefined : { [field]: convert(number) };
  };
  if (!mode && !temperature) return undefined;
  return {
    ...{ id, kind: "climate" },
    fields: {
      temperature_c: { datatype: "number", unit: "°C" },
      target_c: { datatype: "number", unit: "°C", min, max },
      mode: { datatype: "text", labels },
    },
    commands: {
      ...(mode ? { mode: command("powers", { mode: { type: "string", enum: labels } }), off: command("none") } : {}),
      ...(temperature
        ? { temperature: command("powers", { target_c: { type: "number", minimum: min, maximum: max } }) }
        : {}),
    },
    states: [
      ...stateOf(config, "current_temperature_topic", "current_temperature_template", degrees("temperature_c")),
      ...stateOf(config, "temperature_state_topic", "temperature_state_template", degrees("target_c")),
      ...stateOf(config, "mode_state_topic", "mode_state_template", (value) => ({ mode: String(value).slice(0, 64) })),
    ],
    write(name, params) {
      const target = numberOf(own(params, "target_c"));
      const wanted = name === "off" ? "off" : textOf(own(params, "mode"));
      if (name === "temperature")
        return target === undefined ? undefined : order(temperature?.(String(revert(target))), { target_c: target });
      return wanted === undefined ? undefined : order(mode?.(wanted), { mode: wanted });
    },
  };
};

const MAKERS: Readonly<Record<string, Make>> = {
  ...{ light: lightEntity, switch: switchEntity, number: numberEntity, select: selectEntity },
  ...{ button: buttonEntity, fan: fanEntity, cover: coverEntity, climate: climateEntity },
};

/** Undefined: nothing that we know how to control. */
export function controlEntity(entity: EntityConfig): Entity | undefined {
  const make = Object.hasOwn(MAKERS, entity.platform) ? MAKERS[entity.platform] : undefined;
  const made = make?.(entity);
  const name = textOf(own(entity.config, "name"));
  return made && (name === undefined ? made : { ...made, name });
}
