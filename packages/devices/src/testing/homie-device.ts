import type { TestContext } from "node:test";
import mqtt, { type MqttClient } from "mqtt";

const SAMPLE = { type: "object", properties: { value: { type: "number" }, angle_rad: { type: "number" } } };
const COMMAND = {
  oneOf: [
    {
      properties: {
        name: { const: "velocity" },
        params: { type: "object", properties: { velocity_rad_s: { type: "number", minimum: -10, maximum: 10 } } },
      },
      "x-effect": "moves",
    },
    { properties: { name: { const: "idle" }, params: { type: "object" } }, "x-effect": "moves" },
  ],
};
export const DESCRIPTION = {
  homie: "5.0",
  version: 1,
  name: "Test motor",
  nodes: {
    motor: {
      type: "motor",
      properties: {
        sample: { datatype: "json", retained: false, format: JSON.stringify(SAMPLE) },
        command: { datatype: "json", settable: true, retained: false, format: JSON.stringify(COMMAND) },
        ack: { datatype: "json", retained: false },
      },
    },
  },
};

/** It does not come back by itself, so a busy machine must not make it late; a connection that ends is noticed at once. */
const KEEP_ALIVE_S = 60;

/** A motor that speaks Homie 5 over a real connection. `prefix`: of the workspace, on a broker outside. */
export class HomieDevice {
  readonly received: { atMs: number; name: string; params: unknown }[] = [];
  readonly #client: MqttClient;
  readonly #base: string;

  private constructor(client: MqttClient, base: string) {
    this.#client = client;
    this.#base = base;
  }

  static async connect(
    t: TestContext,
    { url, key, id = "motor-1", prefix = "" }: { url: string; key?: string; id?: string; prefix?: string },
  ): Promise<HomieDevice> {
    const base = `${prefix}homie/5/${id}`;
    const client = await mqtt.connectAsync(url, {
      ...{ protocolVersion: 4, keepalive: KEEP_ALIVE_S, reconnectPeriod: 0, clientId: id, username: "device" },
      ...(key === undefined ? {} : { password: key }),
      will: { topic: `${base}/$state`, payload: Buffer.from("lost"), qos: 1, retain: true },
    });
    client.on("error", () => {});
    t.after(() => client.endAsync(true));
    const device = new HomieDevice(client, base);
    client.on("message", (_topic, payload) => device.#obey(JSON.parse(String(payload))));
    await client.subscribeAsync(`${base}/motor/command/set`, { qos: 1 });
    await device.#publish("$state", "init");
    await device.#publish("$description", JSON.stringify(DESCRIPTION));
    await device.#publish("$state", "ready");
    return device;
  }

  /** With more fields in its samples. */
  async describeAgain(fields: object): Promise<void> {
    const format = JSON.stringify({ ...SAMPLE, properties: { ...SAMPLE.properties, ...fields } });
    const { motor } = DESCRIPTION.nodes;
    const properties = { ...motor.properties, sample: { ...motor.properties.sample, format } };
    const description = { ...DESCRIPTION, version: 2, nodes: { motor: { ...motor, properties } } };
    await this.#publish("$description", JSON.stringify(description));
  }

  async sample(values: object): Promise<void> {
    await this.#client.publishAsync(`${this.#base}/motor/sample`, JSON.stringify(values), { qos: 1 });
  }

  async log(level: string, text: string): Promise<void> {
    await this.#client.publishAsync(`${this.#base}/$log/${level}`, text, { qos: 1 });
  }

  /** Without goodbye, like a device that loses power. */
  die(): void {
    this.#client.stream.destroy();
  }

  #publish(topic: string, payload: string) {
    return this.#client.publishAsync(`${this.#base}/${topic}`, payload, { qos: 1, retain: true });
  }

  #obey({ id, name, params }: { id: string; name: string; params: unknown }): void {
    this.received.push({ atMs: Date.now(), name, params });
    // The test may be over.
    this.#client.publishAsync(`${this.#base}/motor/ack`, JSON.stringify({ id, ok: true }), { qos: 1 }).catch(() => {});
  }
}
