import type { Command, Effect, Field } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { own, readNumber, textOf } from "../json.ts";
import type { Order } from "../orders.ts";
import type { EntityConfig } from "./discovery.ts";
import { compileCommandTemplate, compileTemplate, type TemplateInput } from "./template.ts";

/** Where an entity says what it is. Undefined: this message says nothing of it. */
export type StateTopic = { topic: string; read(input: TemplateInput): JsonObject | undefined };

/** An entity in our words. */
export type Entity = {
  id: string;
  kind: string;
  name?: string;
  fields: Record<string, Field>;
  commands: Record<string, Command>;
  states: StateTopic[];
  /** Undefined: the parameters cannot be sent. */
  write(name: string, params: JsonObject): Order | undefined;
};

/** Undefined: nothing that can be controlled. */
export type Make = (entity: EntityConfig) => Entity | undefined;

/** One message, and what it makes of the device. */
export const order = (message: Order["messages"][number] | undefined, expected: JsonObject): Order | undefined =>
  message && { messages: [message], expected };

const paramsOf = (properties: JsonObject, required: string[] = Object.keys(properties)): JsonObject => ({
  ...{ type: "object", properties, required, additionalProperties: false },
});

export const command = (effect: Effect, properties: JsonObject = {}, required?: string[]): Command => ({
  effect,
  params: paramsOf(properties, required),
});

/** The value that a template finds in a message; all of it if there is no template. `raw`: the template is not understood. */
export type ReadState = { is: "value"; read(input: TemplateInput): unknown } | { is: "raw" };

export function stateReader(config: JsonObject, option: string): ReadState {
  const text = textOf(own(config, option));
  if (text === undefined) return { is: "value", read: (input) => input.text };
  const template = compileTemplate(text);
  return template ? { is: "value", read: template } : { is: "raw" };
}

/** Makes one field of a state topic; nothing if there is no topic or the template is not understood. */
export function stateOf(
  config: JsonObject,
  topicOption: string,
  templateOption: string,
  toValues: (value: unknown) => JsonObject | undefined,
): StateTopic[] {
  const topic = textOf(own(config, topicOption));
  const reader = stateReader(config, templateOption);
  if (topic === undefined || reader.is === "raw") return [];
  return [
    {
      topic,
      read(input) {
        const value = reader.read(input);
        return value === undefined ? undefined : toValues(value);
      },
    },
  ];
}

/** How a command is written; undefined: there is no topic, or the template is not understood. */
export function writerOf(
  config: JsonObject,
  topicOption: string,
  templateOption: string,
): ((value: string) => { topic: string; payload: string }) | undefined {
  const topic = textOf(own(config, topicOption));
  const text = textOf(own(config, templateOption));
  const template = text === undefined ? (value: string) => value : compileCommandTemplate(text);
  return topic !== undefined && template ? (value) => ({ topic, payload: template(value) }) : undefined;
}

export const asNumber = (value: unknown): number | undefined =>
  typeof value === "number" || typeof value === "string" ? readNumber(String(value)) : undefined;

/** Payloads may also be given as numbers or booleans. */
export function payloadOf(config: JsonObject, option: string, otherwise: string): string {
  const value = own(config, option);
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : otherwise;
}

export function onOffState(config: JsonObject, template: string): StateTopic[] {
  const on = payloadOf(config, "state_on", payloadOf(config, "payload_on", "ON"));
  const off = payloadOf(config, "state_off", payloadOf(config, "payload_off", "OFF"));
  return stateOf(config, "state_topic", template, (value) =>
    sameText(value, on) ? { on: true } : sameText(value, off) ? { on: false } : undefined,
  );
}

/** True and false as Python, JSON and people write them. */
export const sameText = (value: unknown, payload: string): boolean =>
  String(value) === payload || (typeof value === "boolean" && String(value) === payload.toLowerCase());
