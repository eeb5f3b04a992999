import { randomUUID } from "node:crypto";
import { ACK_CODES, type Ack, type AckCode, DEVICES_LIMITS } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import type { Clock } from "@backplane/kit/clock";
import type { DeviceCommand, MqttSend } from "../../services.ts";
import { STOP_COMMANDS } from "../../stop-commands.ts";
import { needsStop } from "../effects.ts";
import { own, textOf } from "../json.ts";
import { createWaitingList, refused, type Settle, sendAndWait, type Waiting } from "../waiting.ts";
import type { Node, Property } from "./description.ts";
import { writeValue } from "./values.ts";

type How = { onAccepted?: (() => void) | undefined; isRepeated?: boolean };

/** What a plain property was asked to become. */
type Asked = { topic: string; payload: string; waiting: Waiting };

export type HomieCommands = {
  /** A command, or the value of a settable property. `node`: its topic. */
  command(nodeTopic: string, node: Node, command: DeviceCommand, onAccepted?: () => void): Promise<Ack>;
  /** What makes a node stop; nothing where nothing can be harmed. */
  stop(nodeTopic: string, node: Node): Promise<Ack>[];
  /** An answer at `<node>/ack`. False: it answers nothing. */
  takeAck(topic: string, answer: JsonObject): boolean;
  /** `$target`: the device wants to become this. */
  takeTarget(topic: string, payload: string): void;
  /** The device is this now. */
  takeValue(topic: string, payload: string): void;
  /** Resolves true when `until` has called its listener in time. */
  waitFor(until: (listener: () => void) => void): Promise<boolean>;
  close(): void;
};

/** What a property is set to where a node has no command that stops it. */
const REST: Readonly<Record<string, unknown>> = { integer: 0, float: 0, boolean: false };

/** Commands on their way to Homie devices, and their answers. */
export function createHomieCommands(send: MqttSend, now: Clock): HomieCommands {
  const waitingList = createWaitingList(now);
  /** By topic of the answer and id of the command. */
  const commands = new Map<string, Waiting>();
  const asked = new Set<Asked>();

  function sendCommand(nodeTopic: string, { id, name, params }: DeviceCommand, how: How): Promise<Ack> {
    const key = `${nodeTopic}/ack ${id}`;
    // A setpoint is repeated with its id: the answer to one is the answer to all.
    const waiting =
      commands.get(key) ?? waitingList.add({ onAccepted: how.onAccepted, isOver: () => commands.delete(key) });
    commands.set(key, waiting);
    const text = JSON.stringify({ id, name, params });
    return sendAndWait(waiting, () => send(`${nodeTopic}/command/set`, text, { qos: 1 }), how);
  }

  async function setProperty(nodeTopic: string, property: Property, value: unknown, how: How): Promise<Ack> {
    const payload = writeValue(property, value);
    if (payload === undefined)
      return { ...refused("unknown-field", `value is not of type ${property.datatype}.`), field: "value" };
    const topic = `${nodeTopic}/${property.id}`;
    const waiting = waitingList.add({ onAccepted: how.onAccepted, isOver: () => asked.delete(one) });
    const one: Asked = { topic, payload, waiting };
    asked.add(one);
    return sendAndWait(waiting, () => send(`${topic}/set`, payload, { qos: 1 }), how);
  }

  const askedFor = (topic: string, payload: string): Asked[] =>
    [...asked].filter((one) => one.topic === topic && one.payload === payload);

  return {
    async command(nodeTopic, node, command, onAccepted) {
      const property = node.properties.get(command.name);
      if (property) return setProperty(nodeTopic, property, command.params.value, { onAccepted });
      return sendCommand(nodeTopic, command, { onAccepted });
    },
    stop(nodeTopic, { capability, properties, hasCommand }) {
      const known = capability.commands;
      const dangerous = Object.keys(known).filter((name) => needsStop(known[name]?.effect ?? "moves"));
      if (dangerous.length === 0) return [];
      const name = STOP_COMMANDS.find((stop) => hasCommand && !properties.has(stop) && needsNothing(own(known, stop)));
      if (name !== undefined)
        return [sendCommand(nodeTopic, { id: randomUUID(), name, params: {} }, { isRepeated: true })];
      return dangerous.flatMap((id) => {
        const property = properties.get(id);
        const rest = property && REST[property.datatype];
        return rest === undefined ? [] : [setProperty(nodeTopic, property as Property, rest, { isRepeated: true })];
      });
    },
    takeAck(topic, answer) {
      const waiting = commands.get(`${topic} ${textOf(own(answer, "id"))}`);
      if (own(answer, "accepted") === true) waiting?.accept();
      else waiting?.settle(settleOf(answer));
      return waiting !== undefined;
    },
    takeTarget(topic, payload) {
      for (const { waiting } of askedFor(topic, payload)) waiting.accept();
    },
    takeValue(topic, payload) {
      for (const { waiting } of askedFor(topic, payload)) waiting.settle({ ok: true });
    },
    async waitFor(until) {
      const waiting = waitingList.add();
      until(() => waiting.settle({ ok: true }));
      return (await waiting.answer).ok;
    },
    close: waitingList.close,
  };
}

/** A command that is there, and carried out without parameters. */
function needsNothing(command: unknown): boolean {
  const required = own(own(command, "params"), "required");
  return command !== undefined && (!Array.isArray(required) || required.length === 0);
}

function settleOf(answer: JsonObject): Settle {
  const detail = textOf(own(answer, "detail"))?.slice(0, DEVICES_LIMITS.maxTextLength);
  const words = (text: string | undefined) => (text === undefined ? {} : { detail: text });
  if (own(answer, "ok") === true) return { ok: true, ...words(detail) };
  const code: AckCode = ACK_CODES.find((known) => known === own(answer, "code")) ?? "denied";
  return { ok: false, code, ...words(detail ?? textOf(own(answer, "code"))?.slice(0, DEVICES_LIMITS.maxTextLength)) };
}
