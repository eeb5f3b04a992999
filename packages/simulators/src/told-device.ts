import type { JsonObject } from "@backplane/contract/panels";
import { brokerAt } from "@backplane/devices/broker";
import { connectAsync } from "mqtt";
import { describe } from "./description.ts";
import type { SimulatedKind, SimulatedLine } from "./simulator.ts";

/** A device that measures what it is told, and nothing else: for tests that compare what is shown with what was sent. */
export type ToldDevice = AsyncDisposable & {
  tell(node: string, values: JsonObject): Promise<void>;
  /** A line of its log. */
  say(level: SimulatedLine["level"], text: string): Promise<void>;
  /** As if somebody had pulled the plug: no goodbye. */
  pullPlug(): void;
};

type Options = Pick<SimulatedKind, "nodes"> & {
  /** The address of the broker, and the device key. */
  url: string;
  key: string;
  id: string;
};

export async function connectToldDevice({ url, key, id, nodes }: Options): Promise<ToldDevice> {
  const base = `homie/5/${id}`;
  const client = await connectAsync({
    ...brokerAt(url),
    ...{ username: id, password: key, clientId: id, protocolVersion: 4, reconnectPeriod: 0 },
    will: { topic: `${base}/$state`, payload: Buffer.from("lost"), qos: 1, retain: true },
  });
  const say = (topic: string, text: string) => client.publishAsync(`${base}/${topic}`, text, { qos: 1, retain: true });
  await say("$state", "init");
  await say("$description", JSON.stringify(describe({ nodes, model: "told" }, id)));
  await say("$state", "ready");
  return {
    async tell(node, values) {
      await client.publishAsync(`${base}/${node}/sample`, JSON.stringify(values), { qos: 1 });
    },
    async say(level, text) {
      await client.publishAsync(`${base}/$log/${level}`, text, { qos: 1 });
    },
    pullPlug: () => void client.stream.destroy(),
    [Symbol.asyncDispose]: () => client.endAsync(true),
  };
}
