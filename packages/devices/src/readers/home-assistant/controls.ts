import { DEVICES_LIMITS, type Effect } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { numberOf, own, textOf } from "../json.ts";
import { measureOf } from "../units.ts";
import type { EntityConfig } from "./discovery.ts";
import {
  asNumber,
  command,
  type Entity,
  type Make,
  onOffState,
  order,
  payloadOf,
  stateOf,
  writerOf,
} from "./entity.ts";
import { lightEntity } from "./lights.ts";
import { coverEntity, fanEntity, lockEntity } from "./movers.ts";

/** Settings of a device harm nothing; what else an entity does is not known. */
const effectOf = (config: JsonObject): Effect =>
  textOf(own(config, "entity_category")) === undefined ? "powers" : "changes";

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

/** What is written into one that hides it is a secret: it is told, and not shown. */
const textEntity: Make = ({ id, config }) => {
  const write = writerOf(config, "command_topic", "command_template");
  const isSecret = textOf(own(config, "mode")) === "password";
  const field = isSecret ? "password" : "value";
  const maxLength = Math.max(0, Math.min(DEVICES_LIMITS.maxTextLength, numberOf(own(config, "max")) ?? 255));
  return (
    write && {
      ...{ id, kind: "text", fields: isSecret ? {} : { [field]: { datatype: "text" } } },
      commands: { set: command(effectOf(config), { [field]: { type: "string", maxLength } }) },
      states: isSecret
        ? []
        : stateOf(config, "state_topic", "value_template", (value) => ({ [field]: String(value).slice(0, maxLength) })),
      write(_name, params) {
        const value = textOf(own(params, field));
        return value === undefined ? undefined : order(write(value), { [field]: value });
      },
    }
  );
};

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
  ...{ light: lightEntity, switch: switchEntity, number: numberEntity, select: selectEntity, text: textEntity },
  ...{ button: buttonEntity, fan: fanEntity, cover: coverEntity("cover"), valve: coverEntity("valve") },
  ...{ lock: lockEntity, climate: climateEntity },
};

/** Undefined: nothing that we know how to control. */
export function controlEntity(entity: EntityConfig): Entity | undefined {
  const make = Object.hasOwn(MAKERS, entity.platform) ? MAKERS[entity.platform] : undefined;
  const made = make?.(entity);
  const name = textOf(own(entity.config, "name"));
  return made && (name === undefined ? made : { ...made, name });
}
