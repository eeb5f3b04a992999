import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { isObject, own, readObject, textOf } from "../json.ts";
import { toId } from "../units.ts";
import { expand } from "./abbreviations.ts";
import { compileTemplate, type Template } from "./template.ts";

export type Availability = { topic: string; read: Template | undefined; online: string; offline: string };

/** One entity of a device, with long names and whole topics. */
export type EntityConfig = { platform: string; id: string; config: JsonObject };

export type Discovered = {
  /** The id of the device. */
  device: string;
  name?: string;
  maker?: string;
  model?: string;
  firmware?: string;
  availability: Availability[];
  availabilityMode: "all" | "any" | "latest";
  entities: EntityConfig[];
};

export type ReadDiscovery =
  | { is: "found"; discovered: Discovered }
  | { is: "removed" }
  | { is: "faulty"; why: string }
  | { is: "other" };

const TOPIC = /^homeassistant\/([a-z_]+)\/(?:([\w-]+)\/)?([\w-]+)\/config$/;

/** A discovery message of Home Assistant. Pure; never throws. */
export function readDiscovery(topic: string, payload: Buffer | string): ReadDiscovery {
  const [, component, nodeId, objectId] = TOPIC.exec(topic) ?? [];
  if (component === undefined || objectId === undefined) return { is: "other" };
  if (payload.length === 0) return { is: "removed" };
  const read = readObject(payload);
  if (!read.ok) return { is: "faulty", why: `${topic.slice(0, 200)} cannot be used: ${read.why}` };
  const config = expand(read.value);
  const about = own(config, "device");
  const device = deviceId(about) ?? toId(nodeId ?? objectId);
  if (device === undefined) return { is: "faulty", why: "the device has no usable id" };
  const entities = component === "device" ? componentsOf(config) : [entityOf(component, objectId, config)];
  return {
    is: "found",
    discovered: {
      device,
      ...aboutDevice(about),
      availability: availabilityOf(config),
      availabilityMode: modeOf(own(config, "availability_mode")),
      entities: entities.slice(0, DEVICES_LIMITS.maxFields),
    },
  };
}

const modeOf = (value: unknown): Discovered["availabilityMode"] =>
  value === "all" || value === "any" ? value : "latest";

function deviceId(about: unknown): string | undefined {
  const identifiers = [own(about, "identifiers")].flat();
  const connections = [own(about, "connections")].flat(2);
  const first = identifiers.find((one) => typeof one === "string") ?? connections[1];
  return typeof first === "string" ? toId(first) : undefined;
}

function aboutDevice(about: unknown): Pick<Discovered, "name" | "maker" | "model" | "firmware"> {
  const names = { name: "name", maker: "manufacturer", model: "model", firmware: "sw_version" } as const;
  const texts = Object.entries(names).map(([key, option]) => [key, textOf(own(about, option))] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== undefined));
}

/** Of the whole device: options at the top hold for every component that does not have them. */
function componentsOf(config: JsonObject): EntityConfig[] {
  const shared = Object.fromEntries(
    ["state_topic", "command_topic"].flatMap((key) => (Object.hasOwn(config, key) ? [[key, config[key]]] : [])),
  ) as JsonObject;
  const components = own(config, "components");
  if (!isObject(components)) return [];
  return Object.entries(components).flatMap(([id, component]) => {
    const platform = textOf(own(component, "platform"));
    return platform === undefined ? [] : [entityOf(platform, id, { ...shared, ...(component as JsonObject) })];
  });
}

function entityOf(platform: string, id: string, config: JsonObject): EntityConfig {
  return { platform, id: toId(textOf(own(config, "object_id")) ?? id) ?? "entity", config };
}

function availabilityOf(config: JsonObject): Availability[] {
  const list = own(config, "availability");
  const one = {
    ...config,
    topic: own(config, "availability_topic"),
    value_template: own(config, "availability_template"),
  };
  const given = Array.isArray(list) ? list.filter(isObject) : [one];
  return given.slice(0, 16).flatMap((entry) => {
    const topic = textOf(own(entry, "topic"));
    const template = textOf(own(entry, "value_template"));
    if (topic === undefined) return [];
    return {
      topic,
      read: template === undefined ? undefined : compileTemplate(template),
      online: textOf(own(entry, "payload_available")) ?? "online",
      offline: textOf(own(entry, "payload_not_available")) ?? "offline",
    };
  });
}
