import { type Ack, DEVICE_STATES, DEVICES_LIMITS, type DeviceState } from "@backplane/contract/devices";
import type { Clock } from "@backplane/kit/clock";
import type { CreateReader, Ground, MqttMessage, MqttSend, Reader } from "../../services.ts";
import { createIdentities, type Identity } from "../identities.ts";
import { isObject, numberOf, own, readObject, textOf } from "../json.ts";
import { refused, worstOf } from "../waiting.ts";
import { createHomieCommands } from "./commands.ts";
import { type Node, readDescription } from "./description.ts";
import { readValue } from "./values.ts";

const PREFIX = "homie/5/";
const DEVICE_ID = /^[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,63}$/;
/** The device's own time in a sample, epoch ms. */
const DEVICE_TIME = "t_ms";
/** How lines of robots often begin: who says it. */
const SOURCE_AND_TEXT = /^([\w.:/-]{1,64}): ([\s\S]*)$/;

type HomieDevice = {
  topic: string;
  identity?: Identity;
  /** `$description`, as it came. */
  text?: string;
  nodes: ReadonlyMap<string, Node>;
  state?: DeviceState;
  /** False: it has described itself anew and is not ready again. Commands wait. */
  isSettled: boolean;
  onSettled: (() => void)[];
};

/** Homie 5: devices of our own, and others that speak it. */
export const createHomieReader: CreateReader = ({ ground, send, now }) => new HomieReader(ground, send, now);

class HomieReader implements Reader {
  readonly source = "homie";
  readonly filters = [`${PREFIX}#`];
  readonly #ground: Ground;
  readonly #commands: ReturnType<typeof createHomieCommands>;
  readonly #identities: ReturnType<typeof createIdentities>;
  readonly #devices = new Map<string, HomieDevice>();
  readonly #byId = new Map<string, HomieDevice>();

  constructor(ground: Ground, send: MqttSend, now: Clock) {
    this.#ground = ground;
    this.#commands = createHomieCommands(send, now);
    this.#identities = createIdentities(ground, this.source);
  }

  take(message: MqttMessage): boolean {
    if (!message.topic.startsWith(PREFIX)) return false;
    const [id = "", ...levels] = message.topic.slice(PREFIX.length).split("/");
    const device = DEVICE_ID.test(id) && levels.length > 0 ? this.#deviceOf(id) : undefined;
    if (!device) return true;
    const [first = "", second = ""] = levels;
    if (first === "$description") this.#describe(id, device, message.payload.toString());
    else if (first === "$state") this.#setState(id, device, message.payload.toString());
    else if (device.identity && first.startsWith("$")) this.#takeAttribute(device.identity.id, first, second, message);
    else if (device.identity) this.#takeProperty(device, device.identity.id, levels, message);
    return true;
  }

  async command(...[deviceId, capability, command, onAccepted]: Parameters<Reader["command"]>): Promise<Ack> {
    const device = this.#byId.get(deviceId);
    const node = device?.nodes.get(capability);
    if (!device?.identity) return refused("device-lost", "There is no such device.");
    if (device.identity.isSecond) return refused("denied", "Another device has the same id, and gets the commands.");
    if (device.state === "lost" || device.state === "disconnected")
      return refused("device-lost", "The device is not connected.");
    if (!node || !Object.hasOwn(node.capability.commands, command.name))
      return refused("unsupported", `${capability} has no command ${command.name}.`);
    const isReady = device.isSettled || (await this.#commands.waitFor((listener) => device.onSettled.push(listener)));
    if (!isReady) return refused("no-answer", "The device has described itself anew, and is not ready again.");
    return this.#commands.command(`${device.topic}/${capability}`, node, command, onAccepted);
  }

  async stop(deviceId: string): Promise<Ack> {
    const device = this.#byId.get(deviceId);
    if (!device) return refused("device-lost", "There is no such device.");
    return worstOf([...device.nodes].flatMap(([id, node]) => this.#commands.stop(`${device.topic}/${id}`, node)));
  }

  close(): void {
    this.#commands.close();
  }

  #deviceOf(id: string): HomieDevice | undefined {
    const before = this.#devices.get(id);
    if (before || this.#devices.size >= DEVICES_LIMITS.maxDevices) return before;
    const device: HomieDevice = { topic: PREFIX + id, nodes: new Map(), isSettled: true, onSettled: [] };
    this.#devices.set(id, device);
    return device;
  }

  #describe(id: string, device: HomieDevice, text: string): void {
    if (text === device.text) return;
    if (text === "") {
      this.#remove(id, device);
      return;
    }
    const read = readDescription(text);
    if (!read.ok) {
      this.#ground.refuse(device.identity?.id ?? id, read.why);
      return;
    }
    const { nodes, ...about } = read.description;
    const capabilities = [...nodes.values()].map(({ capability }) => capability);
    const identity = this.#identities.declare({ id, ...about, capabilities });
    if (!identity) return;
    if (device.text !== undefined && device.state === "ready") device.isSettled = false;
    Object.assign(device, { identity, text, nodes });
    this.#byId.set(identity.id, device);
    if (device.state !== undefined) this.#ground.state(identity.id, device.state);
  }

  #setState(id: string, device: HomieDevice, text: string): void {
    const state = DEVICE_STATES.find((known) => known === text);
    if (text === "") this.#remove(id, device);
    else if (!state) this.#ground.refuse(device.identity?.id ?? id, `$state is ${JSON.stringify(text.slice(0, 40))}`);
    if (!state) return;
    device.state = state;
    if (device.identity) this.#ground.state(device.identity.id, state);
    if (state !== "ready") return;
    device.isSettled = true;
    for (const settled of device.onSettled.splice(0)) settled();
  }

  #remove(id: string, { identity }: HomieDevice): void {
    this.#devices.delete(id);
    this.#identities.forget(id);
    if (!identity) return;
    this.#byId.delete(identity.id);
    this.#ground.remove(identity.id);
  }

  #takeAttribute(device: string, attribute: string, name: string, { payload, isRetained }: MqttMessage): void {
    const text = payload.toString();
    if (name === "") return;
    if (attribute === "$alert") this.#ground.alert(device, name.slice(0, DEVICES_LIMITS.maxIdLength), text || null);
    else if (attribute === "$log" && !isRetained) this.#takeLine(device, name, text);
  }

  #takeLine(device: string, level: string, text: string): void {
    const read = text.startsWith("{") ? readObject(text) : undefined;
    const said = read?.ok ? textOf(own(read.value, "text")) : undefined;
    if (read?.ok && said !== undefined) {
      const fields = own(read.value, "fields");
      const source = textOf(own(read.value, "source")) ?? "";
      this.#ground.line(device, level, source, said, isObject(fields) ? fields : undefined);
      return;
    }
    const [, source = "", rest = text] = SOURCE_AND_TEXT.exec(text) ?? [];
    this.#ground.line(device, level, source, rest);
  }

  #takeProperty(device: HomieDevice, id: string, levels: readonly string[], message: MqttMessage): void {
    const [nodeId = "", propertyId = "", attribute] = levels;
    const node = device.nodes.get(nodeId);
    const payload = message.payload.toString();
    if (attribute === "$target" && !message.isRetained)
      this.#commands.takeTarget(message.topic.slice(0, -"/$target".length), message.payload.toString());
    if (attribute !== undefined) return;
    const property = node?.properties.get(propertyId);
    if (!node) this.#ground.refuse(id, `${nodeId} is not in $description`);
    // Samples and answers are not retained: an old one would be taken for a new one.
    else if (propertyId === "sample" || propertyId === "ack") {
      if (!message.isRetained) this.#takeObject(id, nodeId, propertyId, message);
    } else if (!property) this.#ground.refuse(id, `${nodeId}/${propertyId} is not in $description`);
    else if (payload !== "") {
      const value = readValue(property, payload);
      if (value === undefined) this.#ground.refuse(id, `${nodeId}/${propertyId} is not of type ${property.datatype}`);
      else this.#ground[message.isRetained ? "recall" : "sample"](id, nodeId, { [property.measure.field]: value });
      // What was asked now is not answered by what was said before.
      if (!message.isRetained) this.#commands.takeValue(message.topic, payload);
    }
  }

  #takeObject(device: string, node: string, property: "sample" | "ack", { topic, payload }: MqttMessage): void {
    const read = readObject(payload);
    if (!read.ok) this.#ground.refuse(device, `${node}/${property} cannot be used: ${read.why}`);
    else if (property === "ack") this.#commands.takeAck(topic, read.value);
    else {
      const { [DEVICE_TIME]: time, ...values } = read.value;
      this.#ground.sample(device, node, values, numberOf(time));
    }
  }
}
