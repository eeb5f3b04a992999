import { connect, type MqttClient } from "mqtt";

type Node = { kind: string; fields: Record<string, string> };

/** A device that measures what it is told, over a real connection. `fields`: the unit by the name of the field. */
export type ToldDevice = AsyncDisposable & {
  tell(node: string, values: Record<string, number>): Promise<void>;
  /** As if somebody had pulled the plug: no goodbye. */
  pullPlug(): void;
};

type Options = { url: string; key: string; id: string; name: string; nodes: Record<string, Node> };

export async function connectToldDevice({ url, key, id, name, nodes }: Options): Promise<ToldDevice> {
  const base = `homie/5/${id}`;
  const client: MqttClient = connect(url, {
    ...{ username: id, password: key, clientId: id, protocolVersion: 4, reconnectPeriod: 0 },
    will: { topic: `${base}/$state`, payload: Buffer.from("lost"), qos: 1, retain: true },
  });
  await new Promise((resolve, reject) => client.once("connect", resolve).once("error", reject));
  const say = (topic: string, text: string) => client.publishAsync(`${base}/${topic}`, text, { qos: 1, retain: true });
  await say("$state", "init");
  await say("$description", JSON.stringify(descriptionOf(name, nodes)));
  await say("$state", "ready");
  return {
    tell: async (node, values) =>
      void (await client.publishAsync(`${base}/${node}/sample`, JSON.stringify(values), { qos: 1 })),
    pullPlug: () => void client.stream.destroy(),
    [Symbol.asyncDispose]: () => client.endAsync(true),
  };
}

const descriptionOf = (name: string, nodes: Options["nodes"]) => ({
  ...{ homie: "5.0", version: 1, name },
  nodes: Object.fromEntries(
    Object.entries(nodes).map(([node, { kind, fields }]) => [
      node,
      {
        name: node,
        type: kind,
        properties: { sample: { datatype: "json", retained: false, format: formatOf(fields) } },
      },
    ]),
  ),
});

const formatOf = (fields: Node["fields"]): string =>
  JSON.stringify({
    type: "object",
    properties: Object.fromEntries(
      Object.entries(fields).map(([field, unit]) => [field, { type: "number", ...(unit ? { "x-unit": unit } : {}) }]),
    ),
  });
