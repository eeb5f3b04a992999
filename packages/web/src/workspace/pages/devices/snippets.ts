/** What is pasted into a device or gateway, ready to be used. */
export const SNIPPETS = {
  esp32: { name: "ESP32", isGateway: false },
  mosquitto: { name: "mosquitto_pub", isGateway: false },
  zigbee2mqtt: { name: "Zigbee2MQTT", isGateway: true },
  esphome: { name: "ESPHome", isGateway: true },
} as const;
export type SnippetKind = keyof typeof SNIPPETS;

type Place = { address: string; key: string; device: string };

/** An id for topics, from the name that somebody typed. */
export const deviceIdOf = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/[^a-z0-9_.-]+/g, "-")
    .replaceAll(/^[-.]+|-+$/g, "")
    .slice(0, 64) || "device";

export function snippetOf(kind: SnippetKind, { address, key, device }: Place): string {
  const { hostname, port } = placeOf(address);
  switch (kind) {
    case "esp32":
      return [
        `#define MQTT_HOST "${hostname}"`,
        `#define MQTT_PORT ${port}`,
        `#define MQTT_USER "${device}"`,
        `#define MQTT_PASSWORD "${key}"`,
        `#define HOMIE_TOPIC "homie/5/${device}"`,
      ].join("\n");
    case "mosquitto": {
      const login = `-h ${hostname} -p ${port} -u ${device} -P '${key}'`;
      return [
        `mosquitto_pub ${login} -r -t 'homie/5/${device}/$description' -m '${DESCRIPTION}'`,
        `mosquitto_pub ${login} -r -t 'homie/5/${device}/$state' -m ready`,
        `mosquitto_pub ${login} -t 'homie/5/${device}/air/sample' -m '{"air_c":21.5}'`,
      ].join("\n");
    }
    case "zigbee2mqtt":
      return [
        "mqtt:",
        `  server: ${address}`,
        "  user: zigbee2mqtt",
        `  password: ${key}`,
        "homeassistant:",
        "  enabled: true",
      ].join("\n");
    case "esphome":
      return [
        "mqtt:",
        `  broker: ${hostname}`,
        `  port: ${port}`,
        "  username: esphome",
        `  password: ${key}`,
        "  discovery: true",
      ].join("\n");
  }
}

const DESCRIPTION = JSON.stringify({
  ...{ homie: "5.0", version: 1, name: "Thermometer" },
  nodes: {
    air: {
      ...{ name: "Air", type: "temperature" },
      properties: {
        sample: {
          ...{ datatype: "json", retained: false },
          format: JSON.stringify({ type: "object", properties: { air_c: { type: "number", "x-unit": "°C" } } }),
        },
      },
    },
  },
});

const MQTT_PORTS: Readonly<Record<string, string>> = { "mqtt:": "1883", "mqtts:": "8883" };

function placeOf(address: string): { hostname: string; port: string } {
  if (!URL.canParse(address)) return { hostname: "<this machine>", port: "1883" };
  const { protocol, hostname, port } = new URL(address);
  return { hostname, port: port || (MQTT_PORTS[protocol] ?? "1883") };
}
