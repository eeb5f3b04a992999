import type { Field } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { own, textOf } from "../json.ts";
import { fieldName, measureOf } from "../units.ts";
import type { EntityConfig } from "./discovery.ts";
import { asNumber, type Entity, payloadOf, type StateTopic, sameText, stateReader } from "./entity.ts";

/** Classes whose name is not what a field would be called. */
const CLASS_NAMES: Readonly<Record<string, string>> = { atmospheric_pressure: "pressure", signal_strength: "signal" };
const MAX_RAW_LENGTH = 255;

/** All sensors of a device are one capability: what they measure is looked at together. */
export const SENSORS = "sensors";

/** Names of a field, best first: what is measured, then what the entity is called. */
function namesOf({ id, config }: EntityConfig): string[] {
  const deviceClass = textOf(own(config, "device_class"));
  if (deviceClass === undefined) return [id];
  const name = Object.hasOwn(CLASS_NAMES, deviceClass) ? (CLASS_NAMES[deviceClass] as string) : deviceClass;
  return [name, id, `${id}_${name}`];
}

/** `isTaken`: another entity of the device has a field of this name. */
export function sensorEntity(entity: EntityConfig, isTaken: (field: string) => boolean): Entity | undefined {
  const { config, platform } = entity;
  const topic = textOf(own(config, "state_topic"));
  if (topic === undefined) return undefined;
  const unit = platform === "sensor" ? textOf(own(config, "unit_of_measurement")) : undefined;
  const measures = namesOf(entity).map((name) => measureOf(name, unit));
  const measure = measures.find(({ field }) => !isTaken(field)) ?? measureOf(`${entity.id}_2`, unit);
  const { field } = measure;
  const reader = stateReader(config, "value_template");
  if (reader.is === "raw") {
    const read: StateTopic["read"] = ({ text }) => ({ [field]: text.slice(0, MAX_RAW_LENGTH) });
    return sensor(entity.id, { [field]: { datatype: "text", isRaw: true } }, { topic, read });
  }
  const isNumber = platform === "sensor" && (unit !== undefined || textOf(own(config, "state_class")) !== undefined);
  const toValue = platform === "binary_sensor" ? booleanOf(config) : isNumber ? numberWith(measure.convert) : textValue;
  const about: Field = {
    datatype: platform === "binary_sensor" ? "boolean" : isNumber ? "number" : "text",
    ...(measure.unit === undefined ? {} : { unit: measure.unit }),
  };
  return sensor(
    entity.id,
    { [field]: about },
    {
      topic,
      read(input) {
        const value = reader.read(input);
        const read = value === undefined || value === null ? undefined : toValue(value);
        return read === undefined ? undefined : { [field]: read };
      },
    },
  );
}

const sensor = (id: string, fields: Record<string, Field>, state: StateTopic): Entity => ({
  ...{ id, kind: SENSORS, fields, commands: {}, states: [state], write: () => undefined },
});

function booleanOf(config: JsonObject): (value: unknown) => boolean | undefined {
  const on = payloadOf(config, "payload_on", "ON");
  const off = payloadOf(config, "payload_off", "OFF");
  return (value) => (sameText(value, on) ? true : sameText(value, off) ? false : undefined);
}
const numberWith = (convert: (value: number) => number) => (value: unknown) => {
  const number = asNumber(value);
  return number === undefined ? undefined : convert(number);
};
const textValue = (value: unknown): string =>
  (typeof value === "object" ? JSON.stringify(value) : String(value)).slice(0, MAX_RAW_LENGTH);

/** The panel that fits what the sensors of a device measure. */
export function kindOfSensors(fields: Readonly<Record<string, Field>>): string {
  const names = Object.keys(fields).filter((name) => fields[name]?.datatype === "number");
  if (names.includes("pressure_pa")) return "pressure-temperature";
  return names.some((name) => fieldName(name).endsWith("temperature_c")) ? "temperature" : "measurement";
}
