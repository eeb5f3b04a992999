// Runs in the page of the bench.
import mqtt from "mqtt";
import { openDevices } from "../../packages/web/src/workspace/devices/open-devices.ts";

let count = 0;
const received = () => count;

const ways = {
  /** As panels get them. */
  hub({ workspace, devices }) {
    const { devices: opened } = openDevices(workspace);
    for (let i = 0; i < devices; i += 1)
      opened.subscribe({ device: `sensor-${i}`, capability: "imu" }, (batch) => {
        count += batch.tMs.length;
      });
  },
  "mqtt.js"({ user, ticket }) {
    const client = mqtt.connect(`${location.origin.replace("http", "ws")}/mqtt`, {
      ...{ username: user, password: ticket, reconnectPeriod: 0, protocolVersion: 4 },
    });
    client.on("message", (_topic, payload) => {
      JSON.parse(payload.toString());
      count += 1;
    });
    client.on("connect", () => client.subscribe("homie/5/+/imu/sample"));
  },
};

globalThis.bench = { ways, received };
