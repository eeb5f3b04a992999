// Sends samples of many devices, evenly, until it is ended: node flow.ts MQTT_PORT KEY PER_SECOND DEVICES

import { DEVICES } from "./limits.ts";
import { connectRaw, publishPacket, type RawClient } from "./raw-mqtt.ts";

const TICK_MS = 10;
const SAMPLE = { type: "object", properties: { x: { type: "number" }, y: { type: "number" }, z: { type: "number" } } };
const DESCRIPTION = {
  ...{ homie: "5.0", version: 1, name: "Sensor" },
  nodes: {
    imu: { type: "imu", properties: { sample: { datatype: "json", retained: false, format: JSON.stringify(SAMPLE) } } },
  },
};

/** Devices that have said what they are. */
export function declareSensors(client: RawClient, devices = DEVICES): void {
  for (let device = 0; device < devices; device += 1) {
    client.publish(`homie/5/sensor-${device}/$state`, "init", true);
    client.publish(`homie/5/sensor-${device}/$description`, JSON.stringify(DESCRIPTION), true);
    client.publish(`homie/5/sensor-${device}/$state`, "ready", true);
  }
}

/** Sends this many per second until stopped. Returns how many were sent. */
export function sendSamples(client: RawClient, perSecond: number, devices = DEVICES): () => number {
  let sent = 0;
  const startMs = performance.now();
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startMs) * perSecond) / 1_000);
    const packets: Buffer[] = [];
    for (; sent < due; sent += 1) {
      const values = { x: Math.sin(sent / 50), y: Math.cos(sent / 70), z: sent % 100 };
      packets.push(publishPacket(`homie/5/sensor-${sent % devices}/imu/sample`, JSON.stringify(values)));
    }
    if (packets.length > 0) client.socket.write(Buffer.concat(packets));
  }, TICK_MS);
  return () => {
    clearInterval(timer);
    return sent;
  };
}

if (import.meta.main) {
  const [port, key, perSecond, devices] = process.argv.slice(2);
  const client = await connectRaw(Number(port), "flow", key);
  declareSensors(client, Number(devices));
  sendSamples(client, Number(perSecond), Number(devices));
  console.log("flowing");
}
