import { type Ack, type Capability, DEVICES_LIMITS, type Field } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import type { Clock } from "@backplane/kit/clock";
import type { CreateReader, Ground, MqttMessage, MqttSend, Reader } from "../../services.ts";
import { createIdentities, type Identity } from "../identities.ts";
import { numberOf, own, readJson, textOf } from "../json.ts";
import { createOrders, type Order } from "../orders.ts";
import { refused } from "../waiting.ts";
import { readTasmotaConfig, readTasmotaSensors, type TasmotaConfig, type TasmotaOutput } from "./discovery.ts";

const SENSORS = "sensors";
const DISCOVERY = /^tasmota\/discovery\/[\w:-]{1,64}\/(config|sensors)$/;

type TasmotaDevice = { config: TasmotaConfig; identity?: Identity; fields: Record<string, Field> };

/** Tasmota announces itself in its own words, and speaks by `tele`, `stat` and `cmnd`. */
export const createTasmotaReader: CreateReader = ({ ground, send, now }) => new TasmotaReader(ground, send, now);

class TasmotaReader implements Reader {
  readonly source = "tasmota";
  /** The topics of a device are as its owner has set them. */
  readonly filters = ["#"];
  readonly #ground: Ground;
  readonly #orders: ReturnType<typeof createOrders>;
  readonly #identities: ReturnType<typeof createIdentities>;
  readonly #devices = new Map<string, TasmotaDevice>();
  readonly #byId = new Map<string, TasmotaDevice>();
  /** By the start of its topics, `tele` and `stat`. */
  readonly #byTopic = new Map<string, TasmotaDevice>();

  constructor(ground: Ground, send: MqttSend, now: Clock) {
    this.#ground = ground;
    this.#orders = createOrders(send, now);
    this.#identities = createIdentities(ground, this.source);
  }

  take({ topic, payload, isRetained }: MqttMessage): boolean {
    const [, what] = DISCOVERY.exec(topic) ?? [];
    if (what === "config") this.#discover(topic, payload);
    if (what !== undefined) return true;
    const end = topic.lastIndexOf("/") + 1;
    const device = this.#byTopic.get(topic.slice(0, end));
    if (!device?.identity) return false;
    this.#takeMessage(device, device.identity.id, topic.slice(end), payload, isRetained);
    return true;
  }

  async command(...[deviceId, capability, { name, params }, onAccepted]: Parameters<Reader["command"]>): Promise<Ack> {
    const device = this.#byId.get(deviceId);
    const output = device?.config.outputs.find(({ id }) => id === capability);
    if (!device?.identity) return refused("device-lost", "There is no such device.");
    if (device.identity.isSecond) return refused("denied", "Another device has the same id, and gets the commands.");
    if (!output || !Object.hasOwn(COMMANDS[output.kind], name))
      return refused("unsupported", `${capability} has no command ${name}.`);
    return this.#send(device, deviceId, output, output.kind === "light" ? params : { on: name === "on" }, {
      onAccepted,
    });
  }

  async stop(deviceId: string): Promise<Ack> {
    // Nothing here moves: relays are rails.
    return this.#byId.has(deviceId) ? { ok: true, tookMs: 0 } : refused("device-lost", "There is no such device.");
  }

  close(): void {
    this.#orders.close();
  }

  #send(
    device: TasmotaDevice,
    id: string,
    { id: capability, power }: TasmotaOutput,
    params: JsonObject,
    how: { onAccepted?: (() => void) | undefined; isRepeated?: boolean },
  ): Promise<Ack> {
    const { config } = device;
    const on = own(params, "on") !== false;
    const brightness = numberOf(own(params, "brightness_pct"));
    const order: Order = {
      messages: [
        ...(brightness === undefined
          ? []
          : [{ topic: `${config.topics.cmnd}Dimmer`, payload: String(Math.round(brightness)) }]),
        { topic: config.topics.cmnd + power, payload: on ? config.on : config.off },
      ],
      expected: { on, ...(brightness === undefined ? {} : { brightness_pct: brightness }) },
    };
    return this.#orders.send(`${id}/${capability}`, order, { ...how, isToldBack: true });
  }

  #discover(topic: string, payload: Buffer): void {
    const before = this.#devices.get(topic);
    if (payload.length === 0 && before) {
      this.#devices.delete(topic);
      this.#forget(before);
    }
    const config = payload.length === 0 ? undefined : readTasmotaConfig(payload);
    if (!config) {
      if (payload.length > 0 && before?.identity)
        this.#ground.refuse(before.identity.id, "its discovery cannot be read");
      return;
    }
    if (!before && this.#devices.size >= DEVICES_LIMITS.maxDevices) return;
    const device = before ?? { config, fields: {} };
    for (const start of [device.config.topics.tele, device.config.topics.stat]) this.#byTopic.delete(start);
    device.config = config;
    this.#devices.set(topic, device);
    for (const start of [config.topics.tele, config.topics.stat]) this.#byTopic.set(start, device);
    this.#declare(device);
  }

  #forget({ config, identity }: TasmotaDevice): void {
    for (const start of [config.topics.tele, config.topics.stat]) this.#byTopic.delete(start);
    this.#identities.forget(config.device);
    if (!identity) return;
    this.#byId.delete(identity.id);
    this.#ground.remove(identity.id);
  }

  #declare(device: TasmotaDevice): void {
    const { device: id, name, model, firmware, outputs } = device.config;
    const sensors = { id: SENSORS, kind: "measurement", fields: device.fields, commands: {} };
    const capabilities = [...(Object.keys(device.fields).length > 0 ? [sensors] : []), ...outputs.map(capabilityOf)];
    const identity = this.#identities.declare({ id, name, maker: "Tasmota", model, firmware, capabilities });
    if (!identity) return;
    device.identity = identity;
    this.#byId.set(identity.id, device);
  }

  #takeMessage(device: TasmotaDevice, id: string, name: string, payload: Buffer, isRetained: boolean): void {
    const text = payload.toString();
    if (name === "LWT") {
      if (text === device.config.online) this.#ground.state(id, "ready");
      else if (text === device.config.offline) this.#ground.state(id, "lost");
      return;
    }
    if (name !== "SENSOR" && name !== "STATE" && name !== "RESULT") return;
    const read = readJson(text);
    if (!read.ok) this.#ground.refuse(id, `${name} cannot be used: ${read.why}`);
    else if (name === "SENSOR") this.#takeSensors(device, id, readTasmotaSensors(read.value), isRetained);
    else this.#takeOutputs(device, id, read.value, isRetained);
  }

  #takeOutputs({ config }: TasmotaDevice, id: string, value: unknown, isRetained: boolean): void {
    for (const output of config.outputs) {
      const power = textOf(own(value, output.power));
      const dimmer = output.kind === "light" ? numberOf(own(value, "Dimmer")) : undefined;
      const values: JsonObject = {
        ...(power === config.on || power === config.off ? { on: power === config.on } : {}),
        ...(dimmer === undefined ? {} : { brightness_pct: dimmer }),
      };
      if (Object.keys(values).length === 0) continue;
      this.#ground[isRetained ? "recall" : "sample"](id, output.id, values);
      if (!isRetained) this.#orders.told(`${id}/${output.id}`, values);
    }
  }

  #takeSensors(
    device: TasmotaDevice,
    id: string,
    found: ReturnType<typeof readTasmotaSensors>,
    isRetained: boolean,
  ): void {
    const values: JsonObject = {};
    let isNew = false;
    for (const { measure, value } of found) {
      if (!Object.hasOwn(device.fields, measure.field)) {
        device.fields[measure.field] = {
          datatype: "number",
          ...(measure.unit === undefined ? {} : { unit: measure.unit }),
        };
        isNew = true;
      }
      values[measure.field] = measure.convert(value);
    }
    if (isNew) this.#declare(device);
    if (found.length > 0) this.#ground[isRetained ? "recall" : "sample"](id, SENSORS, values);
  }
}

const nothing = { type: "object", properties: {}, additionalProperties: false };
const COMMANDS: Readonly<Record<TasmotaOutput["kind"], Capability["commands"]>> = {
  switch: { on: { effect: "powers", params: nothing }, off: { effect: "none", params: nothing } },
  light: {
    set: {
      effect: "changes",
      params: {
        type: "object",
        properties: { on: { type: "boolean" }, brightness_pct: { type: "number", minimum: 0, maximum: 100 } },
        additionalProperties: false,
      },
    },
  },
};
const BRIGHTNESS: Field = { datatype: "number", unit: "%", min: 0, max: 100 };

const capabilityOf = ({ id, kind, name }: TasmotaOutput): Capability => ({
  ...{ id, kind, ...(name === undefined ? {} : { name }), commands: COMMANDS[kind] },
  fields: { on: { datatype: "boolean" }, ...(kind === "light" ? { brightness_pct: BRIGHTNESS } : {}) },
});
