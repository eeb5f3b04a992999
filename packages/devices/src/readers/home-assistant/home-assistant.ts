import { type Ack, type Capability, DEVICES_LIMITS, type Field } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import type { Clock } from "@backplane/kit/clock";
import type { CreateReader, Ground, MqttMessage, MqttSend, Reader } from "../../services.ts";
import { STOP_COMMANDS } from "../../stop-commands.ts";
import { needsStop } from "../effects.ts";
import { createIdentities, type Identity } from "../identities.ts";
import { readJson } from "../json.ts";
import { createOrders } from "../orders.ts";
import { refused, worstOf } from "../waiting.ts";
import { controlEntity } from "./controls.ts";
import { type Availability, type Discovered, readDiscovery } from "./discovery.ts";
import type { Entity } from "./entity.ts";
import { kindOfSensors, SENSORS, sensorEntity } from "./sensors.ts";
import type { TemplateInput } from "./template.ts";

type HaDevice = {
  identity?: Identity;
  about: Discovered;
  /** By topic of its discovery message: what each has told. */
  entities: Map<string, Entity[]>;
  /** By topic; undefined: not known yet. */
  available: Map<string, boolean>;
};

/** What hangs on a topic. */
type Listening = { device: HaDevice; entity?: Entity; availability?: Availability };

/** Devices that announce themselves to Home Assistant: ESPHome, Zigbee2MQTT and many bridges. */
export const createHomeAssistantReader: CreateReader = ({ ground, send, now }) =>
  new HomeAssistantReader(ground, send, now);

class HomeAssistantReader implements Reader {
  readonly source = "home-assistant";
  /** State topics are anywhere. */
  readonly filters = ["#"];
  readonly #ground: Ground;
  readonly #orders: ReturnType<typeof createOrders>;
  readonly #identities: ReturnType<typeof createIdentities>;
  readonly #devices = new Map<string, HaDevice>();
  readonly #byId = new Map<string, HaDevice>();
  readonly #listening = new Map<string, Listening[]>();
  /** By topic of a discovery message: the device that it is about. */
  readonly #discovered = new Map<string, HaDevice>();

  constructor(ground: Ground, send: MqttSend, now: Clock) {
    this.#ground = ground;
    this.#orders = createOrders(send, now);
    this.#identities = createIdentities(ground, this.source);
  }

  take({ topic, payload, isRetained }: MqttMessage): boolean {
    if (topic.startsWith("homeassistant/")) {
      this.#discover(topic, payload);
      return true;
    }
    const listening = this.#listening.get(topic);
    if (!listening) return false;
    const text = payload.toString();
    const read = readJson(text);
    const input: TemplateInput = { text, json: read.ok ? read.value : undefined };
    for (const { device, entity, availability } of listening) {
      if (entity) this.#takeState(device, entity, topic, input, isRetained);
      if (availability) this.#takeAvailability(device, availability, input);
    }
    return true;
  }

  async command(...[deviceId, capability, command, onAccepted]: Parameters<Reader["command"]>): Promise<Ack> {
    const device = this.#byId.get(deviceId);
    const entity = device && this.#controlsOf(device).find(({ id }) => id === capability);
    if (!device?.identity) return refused("device-lost", "There is no such device.");
    if (device.identity.isSecond) return refused("denied", "Another device has the same id, and gets the commands.");
    if (!entity || !Object.hasOwn(entity.commands, command.name))
      return refused("unsupported", `${capability} has no command ${command.name}.`);
    const order = entity.write(command.name, command.params);
    if (!order) return refused("unknown-field", `The parameters of ${command.name} cannot be sent.`);
    return this.#orders.send(`${deviceId}/${capability}`, order, { onAccepted, isToldBack: entity.states.length > 0 });
  }

  async stop(deviceId: string): Promise<Ack> {
    const device = this.#byId.get(deviceId);
    if (!device) return refused("device-lost", "There is no such device.");
    const answers = this.#controlsOf(device).flatMap((entity) => {
      const isDangerous = Object.values(entity.commands).some(({ effect }) => needsStop(effect));
      const name = STOP_COMMANDS.find((stop) => Object.hasOwn(entity.commands, stop));
      const order = isDangerous && name !== undefined ? entity.write(name, {}) : undefined;
      const how = { isRepeated: true, isToldBack: entity.states.length > 0 };
      return order ? [this.#orders.send(`${deviceId}/${entity.id}`, order, how)] : [];
    });
    return worstOf(answers);
  }

  close(): void {
    this.#orders.close();
  }

  #discover(topic: string, payload: Buffer): void {
    const read = readDiscovery(topic, payload);
    const before = this.#discovered.get(topic);
    if (read.is === "removed" && before) this.#forget(topic, before);
    if (read.is === "faulty" && before?.identity) this.#ground.refuse(before.identity.id, read.why);
    if (read.is !== "found") return;
    const { discovered } = read;
    if (!before && this.#discovered.size >= DEVICES_LIMITS.maxChannels) return;
    const device = this.#deviceOf(discovered);
    if (!device) return;
    if (before && before !== device) this.#forget(topic, before);
    device.about = { ...discovered, availability: mergedAvailability(device.about, discovered) };
    device.entities.set(topic, []);
    const isTaken = (field: string) => this.#sensorsOf(device).some(({ fields }) => Object.hasOwn(fields, field));
    for (const config of discovered.entities) {
      const made = controlEntity(config) ?? sensorEntity(config, isTaken);
      if (made) device.entities.get(topic)?.push(made);
    }
    this.#discovered.set(topic, device);
    this.#declare(device);
  }

  #deviceOf(discovered: Discovered): HaDevice | undefined {
    const before = this.#devices.get(discovered.device);
    if (before || this.#devices.size >= DEVICES_LIMITS.maxDevices) return before;
    const device: HaDevice = { about: discovered, entities: new Map(), available: new Map() };
    this.#devices.set(discovered.device, device);
    return device;
  }

  #forget(topic: string, device: HaDevice): void {
    this.#discovered.delete(topic);
    device.entities.delete(topic);
    if (device.entities.size > 0) {
      this.#declare(device);
      return;
    }
    this.#unlisten(device);
    this.#devices.delete(device.about.device);
    this.#identities.forget(device.about.device);
    if (!device.identity) return;
    this.#byId.delete(device.identity.id);
    this.#ground.remove(device.identity.id);
  }

  #declare(device: HaDevice): void {
    const { device: id, name, maker, model, firmware } = device.about;
    const identity = this.#identities.declare({
      id,
      name,
      maker,
      model,
      firmware,
      capabilities: this.#capabilitiesOf(device),
    });
    if (!identity) return;
    device.identity = identity;
    this.#byId.set(identity.id, device);
    this.#unlisten(device);
    for (const entity of this.#entitiesOf(device)) {
      for (const topic of new Set(entity.states.map((state) => state.topic))) this.#listen(topic, { device, entity });
    }
    for (const availability of device.about.availability) this.#listen(availability.topic, { device, availability });
    this.#tellState(device);
  }

  #capabilitiesOf(device: HaDevice): Capability[] {
    const fields: Record<string, Field> = Object.assign({}, ...this.#sensorsOf(device).map((entity) => entity.fields));
    const sensors = { id: SENSORS, kind: kindOfSensors(fields), fields, commands: {} };
    const controls = this.#controlsOf(device).map(({ id, kind, name, fields: own, commands }) => ({
      ...{ id, kind, ...(name === undefined ? {} : { name }), fields: own, commands },
    }));
    const all = Object.keys(fields).length > 0 ? [sensors, ...controls] : controls;
    return all.slice(0, DEVICES_LIMITS.maxCapabilities);
  }

  #entitiesOf(device: HaDevice): Entity[] {
    return [...device.entities.values()].flat();
  }
  #sensorsOf(device: HaDevice): Entity[] {
    return this.#entitiesOf(device).filter(({ kind }) => kind === SENSORS);
  }
  /** Two of one name cannot be told apart: the first one counts. */
  #controlsOf(device: HaDevice): Entity[] {
    const controls = this.#entitiesOf(device).filter(({ kind }) => kind !== SENSORS);
    return controls.filter(({ id }, index) => controls.findIndex((other) => other.id === id) === index);
  }

  #listen(topic: string, listening: Listening): void {
    this.#listening.set(topic, [...(this.#listening.get(topic) ?? []), listening]);
  }
  #unlisten(device: HaDevice): void {
    for (const [topic, all] of this.#listening) {
      const others = all.filter((listening) => listening.device !== device);
      if (others.length === 0) this.#listening.delete(topic);
      else if (others.length < all.length) this.#listening.set(topic, others);
    }
  }

  #takeState(device: HaDevice, entity: Entity, topic: string, input: TemplateInput, isRetained: boolean): void {
    if (!device.identity) return;
    const values: JsonObject = {};
    for (const state of entity.states) if (state.topic === topic) Object.assign(values, state.read(input));
    if (Object.keys(values).length === 0) return;
    const capability = entity.kind === SENSORS ? SENSORS : entity.id;
    const { id } = device.identity;
    this.#ground[isRetained ? "recall" : "sample"](id, capability, values);
    if (!isRetained) this.#orders.told(`${id}/${capability}`, values);
  }

  #takeAvailability(device: HaDevice, availability: Availability, input: TemplateInput): void {
    const said = String(availability.read ? availability.read(input) : input.text);
    if (said !== availability.online && said !== availability.offline) return;
    device.available.delete(availability.topic);
    device.available.set(availability.topic, said === availability.online);
    this.#tellState(device);
  }

  #tellState({ identity, about, available }: HaDevice): void {
    if (!identity) return;
    const known = about.availability.length;
    const all = [...available.values()];
    const isAvailable =
      about.availabilityMode === "all"
        ? all.length === known && all.every(Boolean)
        : about.availabilityMode === "any"
          ? all.some(Boolean)
          : (all.at(-1) ?? false);
    this.#ground.state(identity.id, known === 0 || isAvailable ? "ready" : all.length === 0 ? "init" : "lost");
  }
}

/** Each entity of a device names the topics of its availability: together they are the device's. */
function mergedAvailability(before: Discovered, { availability }: Discovered): Availability[] {
  const others = before.availability.filter(({ topic }) => !availability.some((one) => one.topic === topic));
  return [...others, ...availability].slice(-16);
}
